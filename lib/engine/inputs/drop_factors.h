#pragma once

#include <cstdint>
#include <vector>

#include <ATen/core/Tensor.h>

namespace vitrain::engine {

// Returns the factors of stochastic depth (Huang et al., "Deep networks with
// stochastic depth", ECCV 2016) and of other per-sample dropout
// (Model::drop_rates), for the samples at positions [first, first + count) of
// the global batch of optimizer step `step` (from 0): [rates, count] fp32 on
// the CPU; row i is 0 with probability rates[i], else 1 / (1 - rates[i]). A
// pure function of its arguments, so neither the number of workers nor a
// restart changes it. Undefined if `rates` is empty.
at::Tensor drop_factors(
    const std::vector<double>& rates,
    std::uint64_t seed,
    std::int64_t step,
    std::int64_t first,
    std::int64_t count);

} // namespace vitrain::engine
