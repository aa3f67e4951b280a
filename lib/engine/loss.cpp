#include "engine/loss.h"

#include <ATen/ATen.h>

namespace vitrain::engine {
namespace {

at::Tensor cross_entropy(
    const at::Tensor& outputs,
    const at::Tensor& targets,
    at::Reduction::Reduction reduction,
    double label_smoothing) {
  return at::cross_entropy_loss(
      outputs,
      targets,
      /*weight=*/{},
      reduction,
      /*ignore_index=*/-100,
      label_smoothing);
}

} // namespace

at::Tensor sample_losses(
    config::LossKind kind,
    const at::Tensor& outputs,
    const at::Tensor& targets,
    double label_smoothing) {
  switch (kind) {
    case config::LossKind::kMse:
      return at::mse_loss(outputs, targets, at::Reduction::None).mean(1);
    case config::LossKind::kCrossEntropy:
      break;
  }
  return cross_entropy(outputs, targets, at::Reduction::None, label_smoothing);
}

at::Tensor loss_sum(
    config::LossKind kind,
    const at::Tensor& outputs,
    const at::Tensor& targets,
    double label_smoothing) {
  switch (kind) {
    case config::LossKind::kMse:
      return sample_losses(kind, outputs, targets, label_smoothing).sum();
    case config::LossKind::kCrossEntropy:
      break;
  }
  return cross_entropy(outputs, targets, at::Reduction::Sum, label_smoothing);
}

} // namespace vitrain::engine
