#include "engine/step/loss.h"

#include <limits>

#include <ATen/ATen.h>

#include "engine/step/jensen_shannon.h"

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
      options.class_weights,
      reduction,
      /*ignore_index=*/-100,
      options.label_smoothing);
}

// Returns torchvision's sigmoid_focal_loss of each class: [N, C].
at::Tensor focal_losses(
    const LossOptions& options,
    const at::Tensor& outputs,
    const at::Tensor& wanted) {
  const at::Tensor entropy = at::binary_cross_entropy_with_logits(
      outputs, wanted, /*weight=*/{}, /*pos_weight=*/{}, at::Reduction::None);
  const at::Tensor found = outputs.sigmoid();
  const at::Tensor others = 1.0 - wanted;
  const at::Tensor right = found * wanted + (1.0 - found) * others;
  const at::Tensor losses = entropy * (1.0 - right).pow(options.focal_gamma);
  const double alpha = options.focal_alpha;
  return alpha < 0.0 ? losses
                     : losses * (alpha * wanted + (1.0 - alpha) * others);
}

at::Tensor entropies(
    const LossOptions& options,
    const at::Tensor& outputs,
    const at::Tensor& wanted) {
  const at::Tensor positive = options.pos_weight
      ? at::full({}, *options.pos_weight, outputs.options())
      : at::Tensor();
  return at::binary_cross_entropy_with_logits(
      outputs, wanted, /*weight=*/{}, positive, at::Reduction::None);
}

// Returns timm's AsymmetricLossMultiLabel of each class: [N, C].
at::Tensor asymmetric_losses(
    const LossOptions& options,
    const at::Tensor& outputs,
    const at::Tensor& wanted) {
  constexpr double kLeast = 1e-8; // timm's eps
  const at::Tensor others = 1.0 - wanted;
  const at::Tensor present = outputs.sigmoid();
  const at::Tensor absent = (1.0 - present + options.clip).clamp_max(1.0);
  const at::Tensor losses = wanted * present.clamp_min(kLeast).log() +
      others * absent.clamp_min(kLeast).log();
  const at::Tensor wrong = 1.0 - present * wanted - absent * others;
  const at::Tensor gamma =
      options.gamma_present * wanted + options.gamma_absent * others;
  return -losses * wrong.pow(gamma);
}

// Returns timm's ZlprLoss of each sample: [N].
at::Tensor zlpr_losses(const at::Tensor& outputs, const at::Tensor& wanted) {
  const at::Tensor present = wanted.gt(0.5);
  const auto one_more = [](const at::Tensor& scores) {
    return at::logsumexp(
        at::cat({scores, at::zeros({scores.size(0), 1}, scores.options())}, 1),
        1);
  };
  const double none = -std::numeric_limits<double>::infinity();
  return one_more((-outputs).masked_fill(~present, none)) +
      one_more(outputs.masked_fill(present, none));
}

at::Tensor class_losses(
    const LossOptions& options,
    const at::Tensor& outputs,
    const at::Tensor& wanted) {
  switch (options.kind) {
    case LossKind::kFocal:
      return focal_losses(options, outputs, wanted);
    case LossKind::kAsymmetric:
      return asymmetric_losses(options, outputs, wanted);
    default:
      return entropies(options, outputs, wanted);
  }
}

// Returns losses that treat each class as a binary problem: [N].
at::Tensor binary_losses(
    const LossOptions& options,
    const at::Tensor& outputs,
    const at::Tensor& shares) {
  const at::Tensor wanted = options.threshold
      ? shares.gt(*options.threshold).to(outputs.scalar_type())
      : shares;
  if (options.kind == LossKind::kZlpr) {
    return zlpr_losses(outputs, wanted);
  }
  at::Tensor losses = class_losses(options, outputs, wanted);
  if (options.class_weights.defined()) {
    losses = losses * options.class_weights;
  }
  return options.sum_classes ? losses.sum(1) : losses.mean(1);
}

at::Tensor soft_cross_entropy(
    const LossOptions& options,
    const at::Tensor& outputs,
    const at::Tensor& shares) {
  const at::Tensor wanted =
      options.class_weights.defined() ? shares * options.class_weights : shares;
  return outputs.log_softmax(1).mul(wanted).sum(1).neg();
}

at::Tensor poly1_losses(
    const LossOptions& options,
    const at::Tensor& outputs,
    const at::Tensor& shares) {
  const at::Tensor right = outputs.softmax(1).mul(shares).sum(1);
  return soft_cross_entropy(options, outputs, shares) +
      options.poly1_epsilon * (1.0 - right);
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
    case LossKind::kJensenShannon:
      return jensen_shannon(
          {.splits = options.splits,
           .alpha = options.divergence,
           .label_smoothing = options.label_smoothing,
           .class_weights = options.class_weights},
          outputs,
          targets);
    case LossKind::kL1:
      return at::l1_loss(outputs, targets, at::Reduction::None).mean(1);
    case LossKind::kHuber:
      return at::huber_loss(
                 outputs, targets, at::Reduction::None, options.huber_delta)
          .mean(1);
    case LossKind::kPoly1:
      return poly1_losses(
          options,
          outputs,
          shares.defined()
              ? shares
              : class_shares(
                    targets, outputs.size(1), options.label_smoothing));
    case LossKind::kBinaryCrossEntropy:
    case LossKind::kFocal:
    case LossKind::kAsymmetric:
    case LossKind::kZlpr:
      return binary_losses(
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
      ? soft_cross_entropy(options, outputs, shares)
      : cross_entropy(options, outputs, targets, at::Reduction::None);
}

DistillOutputs split_heads(
    const DistillOptions& options,
    const at::Tensor& outputs) {
  if (!options.heads_apart) {
    return {outputs, outputs, outputs};
  }
  const auto heads = outputs.chunk(2, /*dim=*/1);
  return {heads[0], heads[1], ((heads[0] + heads[1]) / 2).detach()};
}

at::Tensor distillation_sum(
    const DistillOptions& options,
    const at::Tensor& outputs,
    const at::Tensor& teacher,
    const at::Tensor& weights) {
  const bool weighs = weights.defined();
  const auto reduction = weighs ? at::Reduction::None : at::Reduction::Sum;
  if (options.kind == config::DistillKind::kHard) {
    const at::Tensor losses = at::cross_entropy_loss(
        outputs, teacher.argmax(1), /*weight=*/{}, reduction);
    return weighs ? losses.mul(weights).sum() : losses;
  }
  const double t = options.temperature;
  const at::Tensor divergence = at::kl_div(
      (outputs / t).log_softmax(1),
      (teacher / t).log_softmax(1),
      reduction,
      /*log_target=*/true);
  return (weighs ? divergence.sum(1).mul(weights).sum() : divergence) *
      (t * t / static_cast<double>(outputs.size(1)));
}

at::Tensor loss_sum(
    const LossOptions& options,
    const at::Tensor& outputs,
    const at::Tensor& targets,
    const at::Tensor& shares,
    const at::Tensor& weights) {
  if (weights.defined()) {
    return sample_losses(options, outputs, targets, shares).mul(weights).sum();
  }
  if (options.kind == LossKind::kCrossEntropy && !shares.defined()) {
    return cross_entropy(options, outputs, targets, at::Reduction::Sum);
  }
  return sample_losses(options, outputs, targets, shares).sum();
}

} // namespace vitrain::engine
