#pragma once

#include <cstdint>
#include <optional>

#include <ATen/core/Tensor.h>

#include "config/sections/train.h"

namespace vitrain::engine {

struct LossOptions {
  config::LossKind kind = config::LossKind::kCrossEntropy;
  double label_smoothing = 0.0;
  // Binary losses, as timm's BinaryCrossEntropy. Targets above `threshold`
  // become 1, all others 0; `sum_classes`: sum over the classes instead of the
  // mean.
  std::optional<double> threshold;
  bool sum_classes = false;
  std::optional<double> pos_weight; // weight of positive classes
  double focal_alpha = 0.25; // negative: none
  double focal_gamma = 2.0;
  // Weight of each class's term in the loss of a sample, as torch's `weight`:
  // [C] fp32; undefined: 1.
  at::Tensor class_weights{};
  // Jensen-Shannon: versions of each sample, weight of their divergence.
  std::int64_t splits = 1;
  double divergence = 0.0;
};

// How much is learned from a teacher, as DeiT's DistillationLoss.
struct DistillOptions {
  config::DistillKind kind = config::DistillKind::kNone;
  double alpha = 0.5; // its share
  double temperature = 1.0;
  bool heads_apart = false; // networks::of_two_heads
};

// Splits the outputs of a network in training, [N, C], or [N, 2 C] of two
// separate heads, into outputs that learn from labels, outputs that learn from
// the teacher, and their mean, which is the prediction; [N, C] each.
struct Answers {
  at::Tensor labels;
  at::Tensor taught;
  at::Tensor mean;
};
Answers answers_of(const DistillOptions& options, const at::Tensor& outputs);

// Labels [N] int64 as shares of the classes [N, C] fp32: 1 - smoothing for the
// label, and smoothing spread evenly over all.
at::Tensor class_shares(
    const at::Tensor& labels,
    std::int64_t num_classes,
    double label_smoothing);

// Loss of each sample, [N] fp32.
//   cross_entropy: outputs [N, C] fp32, targets [N] int64, with the smoothing
//     of torch's cross_entropy;
//   binary_cross_entropy: the same, of each class against the others;
//   focal: torchvision's sigmoid_focal_loss of them (Lin et al., "Focal Loss
//     for Dense Object Detection", ICCV 2017);
//   jensen_shannon: that of engine/loss/jensen_shannon.h, with outputs
//     [splits N, C]; class_weights are of its cross entropy;
//   mse: outputs and targets [N, T] fp32, the mean of the squared errors over
//     the T targets, so that the mean over samples is torch's MSELoss;
//   pixels: outputs [N], which are the losses (Model::masked_patches); targets
//     are not looked at.
// Where `shares` is defined, it is the targets: shares of the classes [N, C]
// fp32 with smoothing in them (timm's SoftTargetCrossEntropy).
at::Tensor sample_losses(
    const LossOptions& options,
    const at::Tensor& outputs,
    const at::Tensor& targets,
    const at::Tensor& shares = {});

// Sum of the losses of the samples, each multiplied by its weight (`weights`:
// [N] fp32; undefined: 1): a scalar with a gradient.
at::Tensor loss_sum(
    const LossOptions& options,
    const at::Tensor& outputs,
    const at::Tensor& targets,
    const at::Tensor& shares = {},
    const at::Tensor& weights = {});

// What a teacher's outputs [N, C] fp32 add, summed over the samples with the
// same weights: soft: the Kullback-Leibler divergence of the probabilities at
// the temperature T, times T^2 / C; hard: cross entropy with the teacher's
// class. (Touvron et al., "Training data-efficient image transformers", ICML
// 2021.)
at::Tensor distillation_sum(
    const DistillOptions& options,
    const at::Tensor& outputs,
    const at::Tensor& teacher,
    const at::Tensor& weights = {});

} // namespace vitrain::engine
