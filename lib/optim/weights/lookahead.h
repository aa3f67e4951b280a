#pragma once

#include <cstdint>
#include <vector>

#include <ATen/core/Tensor.h>

#include "config/sections/optim/lookahead.h"

namespace vitrain::optim {

// Where a run stands: in step `step`, from 1, of `steps`.
struct Progress {
  std::int64_t step = 0;
  std::int64_t steps = 0;
};

// Weights and their slow weights, of the same shape.
struct SlowPair {
  at::Tensor weights;
  at::Tensor slow;
};

// How much of themselves the slow weights keep: 1 - alpha, with a ramp times
// (step / steps)^ramp.
double kept_of_slow(
    const config::LookaheadConfig& options,
    const Progress& progress);

// Lookahead (Zhang et al., 2019): the part before the forward pass of a step.
void begin_slow(
    const config::LookaheadConfig& options,
    const std::vector<SlowPair>& pairs,
    const Progress& progress);

// Lookahead: the part after the update of a step. In every `every`-th update
// the slow weights s and the weights w become s + (1 - kept) (w - s). Without a
// ramp both stay w the first time, as in timm; with one s begins as the w of
// the first step, as in "94% on CIFAR-10 in 3.29 seconds" (Jordan,
// arXiv:2404.00498). With ends_slow the last step of the run leaves w = s.
// `updates` counts those made, scalar fp32; where `non_finite` (likewise) is 1
// there was none.
void after_update(
    const config::LookaheadConfig& options,
    const std::vector<SlowPair>& pairs,
    const Progress& progress,
    const at::Tensor& updates,
    const at::Tensor& non_finite);

} // namespace vitrain::optim
