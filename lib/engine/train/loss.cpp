#include "engine/train/loss.h"

#include <ATen/ATen.h>

namespace vitrain::engine {
namespace {

using config::LossKind;

at::Tensor cross_entropy(
    const LossOptions& options,
    const at::Tensor& outputs,
    const at::Tensor& targets,
    at::Reduction::Reduction reduction) {
  return at::cross_entropy_loss(
      outputs,
      targets,
      /*weight=*/{},
      reduction,
      /*ignore_index=*/-100,
      options.label_smoothing);
}

at::Tensor binary_cross_entropy(
    const LossOptions& options,
    const at::Tensor& outputs,
    const at::Tensor& shares) {
  const at::Tensor wanted = options.threshold
      ? shares.gt(*options.threshold).to(outputs.scalar_type())
      : shares;
  const at::Tensor losses = at::binary_cross_entropy_with_logits(
      outputs, wanted, /*weight=*/{}, /*pos_weight=*/{}, at::Reduction::None);
  return options.sum_classes ? losses.sum(1) : losses.mean(1);
}

} // namespace

at::Tensor class_shares(
    const at::Tensor& labels,
    std::int64_t num_classes,
    double label_smoothing) {
  const double rest = label_smoothing / static_cast<double>(num_classes);
  return at::full(
             {labels.size(0), num_classes},
             rest,
             labels.options().dtype(at::kFloat))
      .scatter_(1, labels.unsqueeze(1), 1.0 - label_smoothing + rest);
}

at::Tensor sample_losses(
    const LossOptions& options,
    const at::Tensor& outputs,
    const at::Tensor& targets,
    const at::Tensor& shares) {
  switch (options.kind) {
    case LossKind::kMse:
      return at::mse_loss(outputs, targets, at::Reduction::None).mean(1);
    case LossKind::kPixels:
      return outputs;
    case LossKind::kBinaryCrossEntropy:
      return binary_cross_entropy(
          options,
          outputs,
          shares.defined()
              ? shares
              : class_shares(
                    targets, outputs.size(1), options.label_smoothing));
    case LossKind::kCrossEntropy:
      break;
  }
  return shares.defined()
      ? outputs.log_softmax(1).mul(shares).sum(1).neg()
      : cross_entropy(options, outputs, targets, at::Reduction::None);
}

at::Tensor loss_sum(
    const LossOptions& options,
    const at::Tensor& outputs,
    const at::Tensor& targets,
    const at::Tensor& shares) {
  if (options.kind == LossKind::kCrossEntropy && !shares.defined()) {
    return cross_entropy(options, outputs, targets, at::Reduction::Sum);
  }
  return sample_losses(options, outputs, targets, shares).sum();
}

} // namespace vitrain::engine
