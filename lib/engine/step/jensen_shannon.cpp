#include "engine/step/jensen_shannon.h"

#include <ATen/ATen.h>

namespace vitrain::engine {

at::Tensor jensen_shannon(
    const JensenShannon& options,
    const at::Tensor& outputs,
    const at::Tensor& labels) {
  const std::int64_t samples = labels.size(0);
  const at::Tensor of_label = at::cross_entropy_loss(
      outputs.narrow(0, 0, samples),
      labels,
      options.class_weights,
      at::Reduction::None,
      /*ignore_index=*/-100,
      options.label_smoothing);
  const at::Tensor shares =
      outputs.softmax(1).unflatten(0, {options.splits, samples});
  const at::Tensor log_mean =
      shares.mean(0, /*keepdim=*/true).clamp(1e-7, 1.0).log();
  const at::Tensor divergence = at::xlogy(shares, shares) - shares * log_mean;
  return of_label + divergence.sum(2).mean(0) * options.alpha;
}

} // namespace vitrain::engine
