#pragma once

#include <cstdint>
#include <vector>

#include <ATen/core/Tensor.h>

#include "config/sections/lookahead.h"

namespace vitrain::optim {

// Progress of a run: in step `step` (from 1) of `steps`.
struct Progress {
  std::int64_t step = 0;
  std::int64_t steps = 0;
};

// Weights and slow weights of the same shape.
struct SlowPair {
  at::Tensor weights;
  at::Tensor slow;
};

// Returns the weight that the slow weights keep in an update: 1 - alpha,
// multiplied by (step / steps)^ramp if there is a ramp.
double kept_of_slow(
    const config::LookaheadConfig& options,
    const Progress& progress);

// Lookahead (Zhang et al., 2019): call before the forward pass of a step. With
// a ramp, copies the weights of step 1 to the slow weights.
void begin_slow(
    const config::LookaheadConfig& options,
    const std::vector<SlowPair>& pairs,
    const Progress& progress);

// Lookahead: call after the update of a step. In every `every`-th update both
// the slow weights s and the weights w become s + (1 - kept) (w - s), where
// kept is kept_of_slow(). Without a ramp the first time sets s = w, as in timm;
// with a ramp s starts as the w of the first step, as in "94% on CIFAR-10 in
// 3.29 seconds" (Jordan, arXiv:2404.00498). With ends_slow the last step of the
// run sets w = s, unless s was never set. options.every must be set. `updates`:
// number of updates so far, scalar fp32; if `non_finite` (scalar fp32) is 1,
// this step made no update.
void after_update(
    const config::LookaheadConfig& options,
    const std::vector<SlowPair>& pairs,
    const Progress& progress,
    const at::Tensor& updates,
    const at::Tensor& non_finite);

} // namespace vitrain::optim
