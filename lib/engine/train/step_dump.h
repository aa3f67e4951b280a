#pragma once

#include <cstdint>
#include <vector>

#include "core/json.h"
#include "data/load/sampler.h"
#include "optim/flat_state.h"

namespace vitrain::engine {

// Returns the numbers of samples of a step, one list per micro-batch of all
// workers.
std::vector<std::vector<std::int64_t>> samples_of_step(
    const data::Sampler& sampler,
    std::int64_t epoch,
    std::int64_t step_in_epoch,
    std::int64_t micro_batches);

// Returns {name, weights, gradient} of each trained parameter, in the order of
// the optimizer: the Euclidean norms of its values and of its gradient as text
// with 9 digits, "nan" or "inf", which JSON has no numbers for. Waits for the
// device.
Json norms_of(const optim::FlatState& parameters);

} // namespace vitrain::engine
