#pragma once

#include <array>
#include <cstdint>
#include <string>

namespace torch::jit {
struct Graph;
} // namespace torch::jit

namespace vitrain::exports {

// Batch sizes of the two recordings of a network.
inline constexpr std::array<std::int64_t, 2> kBatches{2, 3};

// Makes a recorded graph independent of the batch size. torch's tracer records
// sizes as numbers, so a recording does not show which of them come from the
// batch. But recordings of the same network with batches of kBatches differ
// exactly in these: each is a n + b for n images, and is replaced by this
// expression of the first dimension of the graph's second input. Dimensions
// that differ are removed from the values' types. `graph` was recorded with
// kBatches[0] images, `other` with kBatches[1]; `name`: the network's name for
// messages. Throws Error(kInternal) if the graphs differ in anything else.
void free_batch_size(
    torch::jit::Graph& graph,
    const torch::jit::Graph& other,
    const std::string& name);

} // namespace vitrain::exports
