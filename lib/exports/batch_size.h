#pragma once

#include <array>
#include <cstdint>
#include <string>

namespace torch::jit {
struct Graph;
} // namespace torch::jit

namespace vitrain::exports {

// Images of the two recordings of a network.
inline constexpr std::array<std::int64_t, 2> kBatches{2, 3};

// Takes the number of images out of a recorded graph. Sizes reach torch's
// tracer as numbers, and which of them come from the batch is not in a
// recording. But the same network recorded with batches of kBatches gives two
// graphs that differ in exactly these numbers: each is a n + b for n images,
// and becomes that, of the first size of the second input. The types of values
// lose the dimensions that differ. Throws Error(kInternal), with `name`, where
// the graphs differ in anything else.
void free_batch_size(
    torch::jit::Graph& graph,
    const torch::jit::Graph& other,
    const std::string& name);

} // namespace vitrain::exports
