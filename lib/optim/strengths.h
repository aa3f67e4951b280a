#pragma once

#include <cstdint>

#include "config/sections/strengths.h"

// Strength of regularisation in a step, relative to the recipe's value: pure
// functions of the step (0 is the first; config::Plan::schedule_time).
namespace vitrain::optim {

// Returns the factor of the weight decay on its way from `start` (> 0) to `end`
// over `total_steps`: (end + (start - end) (1 + cos(pi step / total_steps)) /
// 2) / start.
double weight_decay_share(
    double start,
    double end,
    double step,
    std::int64_t total_steps);

// Returns the factor of the stochastic depth rate. `rising`: step /
// (total_steps - 1). `early_linear`: 1 - step / (cutoff_steps - 1), which is 0
// in the last step before `cutoff_steps`. `constant`: 1. `early`: 1 before
// `cutoff_steps`, then 0; `late`: the reverse.
double drop_path_share(
    config::DropPathShape shape,
    std::int64_t cutoff_steps,
    double step,
    std::int64_t total_steps);

} // namespace vitrain::optim
