#pragma once

#include <cstdint>
#include <optional>

#include <ATen/core/Tensor.h>

#include "config/sections/train.h"

namespace vitrain::engine {

struct LossOptions {
  config::LossKind kind = config::LossKind::kCrossEntropy;
  double label_smoothing = 0.0;
  // For binary_cross_entropy, focal, asymmetric and zlpr, as in timm's
  // BinaryCrossEntropy: targets above `threshold` become 1, all others 0
  // (nullopt: unchanged); `sum_classes` (not for zlpr): sum over the classes
  // instead of mean.
  std::optional<double> threshold;
  bool sum_classes = false;
  // binary_cross_entropy: factor of the loss of positive classes; nullopt: 1.
  std::optional<double> pos_weight;
  // Factor of the loss of positive classes; 1 - focal_alpha for negative ones.
  // Below 0: no factors.
  double focal_alpha = 0.25;
  double focal_gamma = 2.0;
  // asymmetric: focal_gamma of absent and of present classes, and the
  // probability up to which an absent class costs nothing.
  double gamma_absent = 4.0;
  double gamma_present = 1.0;
  double clip = 0.05;
  double poly1_epsilon = 2.0;
  double huber_delta = 1.0;
  // Weight of each class's term in the loss of a sample, as torch's `weight`:
  // [C] fp32; undefined: 1. Not used by zlpr, nor without classes.
  at::Tensor class_weights{};
  // Jensen-Shannon: number of versions of each sample, and weight of their
  // divergence.
  std::int64_t splits = 1;
  double divergence = 0.0;
};

// Distillation from a teacher, as in DeiT's DistillationLoss.
struct DistillOptions {
  config::DistillKind kind = config::DistillKind::kNone;
  double alpha = 0.5; // weight of the teacher's loss; 1 - alpha for the labels
  double temperature = 1.0;
  // True: outputs are [N, 2 C], the class head's, then the distillation head's.
  bool heads_apart = false;
};

// Outputs of a network in training, [N, C] each: outputs that learn from the
// labels, outputs that learn from the teacher, and their mean, which is the
// prediction (without gradient). All three are the same tensor, with gradient,
// unless DistillOptions::heads_apart.
struct DistillOutputs {
  at::Tensor labels;
  at::Tensor taught;
  at::Tensor mean;
};
// Splits a network's outputs, [N, C], or [N, 2 C] with heads_apart.
DistillOutputs split_heads(
    const DistillOptions& options,
    const at::Tensor& outputs);

// Converts labels [N] int64 to shares of the classes [N, C] fp32: 1 - smoothing
// for the label, plus smoothing spread evenly over all classes.
at::Tensor class_shares(
    const at::Tensor& labels,
    std::int64_t num_classes,
    double label_smoothing);

// Returns the loss of each sample, [N] fp32.
//   cross_entropy: outputs [N, C] fp32, targets [N] int64, with the smoothing
//     of torch's cross_entropy;
//   binary_cross_entropy: same shapes; each class against the others;
//   focal: same shapes; torchvision's sigmoid_focal_loss (Lin et al., "Focal
//     Loss for Dense Object Detection", ICCV 2017);
//   asymmetric: same shapes; timm's AsymmetricLossMultiLabel (Ridnik et al.,
//     "Asymmetric loss for multi-label classification", ICCV 2021);
//   zlpr: same shapes; timm's ZlprLoss (Su et al., "ZLPR: a novel loss for
//     multi-label classification", 2022);
//   poly1: shapes of cross_entropy; timm's PolyCrossEntropy (Leng et al.,
//     "PolyLoss", ICLR 2022);
//   jensen_shannon: AugMix's loss (jensen_shannon.h) with alpha = `divergence`;
//     outputs [splits N, C], targets [N] int64; class_weights apply to its
//     cross entropy;
//   l1, huber: shapes of mse; torch's l1_loss and huber_loss;
//   mse: outputs and targets [N, T] fp32, the mean of the squared errors over
//     the T targets, so that the mean over samples is torch's MSELoss;
//   pixels: outputs [N] are the losses themselves (Model::masked_patches);
//     targets are ignored.
// If `shares` is defined, it replaces the targets of cross_entropy (as in
// timm's SoftTargetCrossEntropy), binary_cross_entropy, focal, asymmetric, zlpr
// and poly1: shares of the classes [N, C] fp32, smoothing included. Other
// losses ignore it.
at::Tensor sample_losses(
    const LossOptions& options,
    const at::Tensor& outputs,
    const at::Tensor& targets,
    const at::Tensor& shares = {});

// Returns the sum of the samples' losses, each multiplied by its weight
// (`weights`: [N] fp32; undefined: 1), as a differentiable scalar.
at::Tensor loss_sum(
    const LossOptions& options,
    const at::Tensor& outputs,
    const at::Tensor& targets,
    const at::Tensor& shares = {},
    const at::Tensor& weights = {});

// Returns the loss of `outputs` against a teacher's outputs, both [N, C] fp32,
// summed over the samples, each multiplied by its weight (`weights`: as in
// loss_sum()). soft: Kullback-Leibler divergence of the probabilities at
// temperature T, times T^2 / C; hard: cross entropy with the teacher's class
// (Touvron et al., "Training data-efficient image transformers", ICML 2021).
at::Tensor distillation_sum(
    const DistillOptions& options,
    const at::Tensor& outputs,
    const at::Tensor& teacher,
    const at::Tensor& weights = {});

} // namespace vitrain::engine
