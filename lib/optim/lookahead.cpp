#include "optim/lookahead.h"

#include <cmath>

#include <ATen/ATen.h>

namespace vitrain::optim {

double kept_of_slow(
    const config::LookaheadConfig& options,
    const Progress& progress) {
  const double most = 1.0 - options.alpha;
  return options.ramp > 0.0 ? most *
          std::pow(static_cast<double>(progress.step) /
                       static_cast<double>(progress.steps),
                   options.ramp)
                            : most;
}

void begin_slow(
    const config::LookaheadConfig& options,
    const std::vector<SlowPair>& pairs,
    const Progress& progress) {
  if (options.ramp > 0.0 && progress.step == 1) {
    for (const SlowPair& pair : pairs) {
      pair.slow.copy_(pair.weights);
    }
  }
}

void after_update(
    const config::LookaheadConfig& options,
    const std::vector<SlowPair>& pairs,
    const Progress& progress,
    const at::Tensor& updates,
    const at::Tensor& non_finite) {
  const std::int64_t every = *options.every;
  const bool ends = options.ends_slow && progress.step == progress.steps;
  const bool knows = updates.is_cpu();
  const bool due_now = !knows ||
      (non_finite.item<float>() == 0.0F &&
       updates.item<std::int64_t>() % every == 0);
  if (!due_now && !ends) {
    return;
  }
  // On a GPU the number of updates stays on the device, and so do decisions
  // that depend on it, so that the host does not wait.
  const at::Tensor due =
      updates.remainder(every).eq(0).logical_and(non_finite.eq(0));
  const at::Tensor first = options.ramp > 0.0
      ? at::zeros_like(due)
      : updates.le(static_cast<double>(every));
  const at::Tensor begun = options.ramp > 0.0
      ? at::ones_like(due)
      : updates.ge(static_cast<double>(every));
  const double share = 1.0 - kept_of_slow(options, progress);
  for (const auto& [weights, slow] : pairs) {
    if (due_now) {
      const at::Tensor mean =
          at::where(first, weights, slow.add(weights.sub(slow), share));
      slow.copy_(knows ? mean : at::where(due, mean, slow));
      weights.copy_(knows ? mean : at::where(due, mean, weights));
    }
    if (ends) {
      weights.copy_(at::where(begun, slow, weights));
    }
  }
}

} // namespace vitrain::optim
