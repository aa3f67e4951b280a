#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "config/sections/class_weights.h"
#include "config/sections/distill.h"
#include "config/sections/ema.h"
#include "config/sections/prune.h"
#include "config/sections/train_precision.h"
#include "config/sections/train_safety.h"
#include "core/enum_names.h"

namespace vitrain::config {

enum class LossKind {
  kCrossEntropy,
  kBinaryCrossEntropy,
  kFocal,
  kJensenShannon,
  kMse,
  kPixels
};
constexpr auto names_of(LossKind) {
  using enum LossKind;
  return enum_names<LossKind>(
      {{kCrossEntropy, "cross_entropy"},
       {kBinaryCrossEntropy, "binary_cross_entropy"},
       {kFocal, "focal"},
       {kJensenShannon, "jensen_shannon"},
       {kMse, "mse"},
       {kPixels, "pixels"}});
}
// Returns true if the loss is for classes, so that top-1 and smoothing are
// defined.
constexpr bool has_classes(LossKind loss) {
  return loss != LossKind::kMse && loss != LossKind::kPixels;
}
// Returns true if the loss treats each class independently.
constexpr bool is_binary(LossKind loss) {
  return loss == LossKind::kBinaryCrossEntropy || loss == LossKind::kFocal;
}
enum class Mkl { kAuto, kPlain };
constexpr auto names_of(Mkl) {
  using enum Mkl;
  return enum_names<Mkl>({{kAuto, "auto"}, {kPlain, "plain"}});
}

// The training step.
struct TrainConfig {
  Precision precision = Precision::kAuto;
  double loss_scale = 65536.0;
  std::int64_t loss_scale_interval = 2000;
  std::int64_t accumulate = 1;
  LossKind loss = LossKind::kCrossEntropy;
  double label_smoothing = 0.0;
  std::optional<double> bce_threshold;
  bool bce_sum = false;
  std::optional<double> bce_pos_weight;
  double focal_alpha = 0.25;
  double focal_gamma = 2.0;
  std::vector<double> class_weights;
  ClassBalance class_balance = ClassBalance::kNone;
  ClassWeighting class_weighting = ClassWeighting::kSample;
  std::int64_t jsd_splits = 3;
  double jsd_alpha = 12.0;
  std::string recompute = "none";
  OnNonFinite on_non_finite = OnNonFinite::kStop;
  std::int64_t non_finite_in_a_row = 5;
  std::int64_t non_finite_in_all = 100;
  Mkl mkl = Mkl::kAuto;
  EmaConfig ema;
  PruneConfig prune;
  DistillConfig distill;

  // Returns the number of versions of each image that pass through the network.
  std::int64_t splits() const {
    return loss == LossKind::kJensenShannon ? jsd_splits : 1;
  }

  template <typename Visitor>
  void visit(Visitor& v) {
    visit_precision(v, precision, loss_scale, loss_scale_interval);
    v.field(
         "accumulate",
         accumulate,
         "Micro-batches per optimizer step and device.")
        .in_range(1, 1 << 20);
    v.field(
        "loss",
        loss,
        "`cross_entropy` of the classes; `binary_cross_entropy` of each "
        "class against all others, and `focal`, which reduces the weight of "
        "easy samples, in training, while evaluation reports cross entropy; "
        "`jensen_shannon`: cross entropy of the image with crop and flips "
        "only, plus the divergence of its augmented versions (AugMix); "
        "`mse`: mean squared error, for data.train.kind: vectors; `pixels`: "
        "mean squared error of the hidden patches of a masked autoencoder "
        "(mae_vit_...), without labels.");
    v.field(
         "label_smoothing",
         label_smoothing,
         "Share of the target spread evenly over all classes; training only.")
        .at_least(0.0)
        .less_than(1.0);
    v.field(
         "bce_threshold",
         bce_threshold,
         "`binary_cross_entropy` and `focal`: targets above it count as 1, "
         "all other targets as 0; `null`: unchanged targets.")
        .at_least(0.0)
        .less_than(1.0);
    v.field(
        "bce_sum",
        bce_sum,
        "`binary_cross_entropy` and `focal`: the sum over the classes instead "
        "of their mean.");
    visit_classes(v);
    v.field(
         "jsd_splits",
         jsd_splits,
         "`jensen_shannon`: versions of each image in a batch, the first "
         "without changes but crop and flips. The network sees as many times "
         "data.batch_size images.")
        .in_range(2, 64)
        .needs("train.loss", loss, LossKind::kJensenShannon);
    v.field(
         "jsd_alpha",
         jsd_alpha,
         "`jensen_shannon`: weight of the divergence of the versions.")
        .at_least(0.0)
        .needs("train.loss", loss, LossKind::kJensenShannon);
    visit_safety(
        v, recompute, on_non_finite, non_finite_in_a_row, non_finite_in_all);
    v.field(
        "mkl",
        mkl,
        "CPU matrix products in fp32. `auto`: MKL uses AVX-512 wherever the "
        "processor has it; `plain`: MKL decides, which on processors that are "
        "not Intel's is AVX2, about half as fast. Bits of results differ.");
    v.section("ema", ema, "Moving average of the weights.");
    v.section("prune", prune, "Weights of small magnitude become zero.");
    v.section("distill", distill, "Learning from a teacher.");
  }

 private:
  // Keys that only losses with classes have.
  template <typename Visitor>
  void visit_classes(Visitor& v) {
    v.field(
         "bce_pos_weight",
         bce_pos_weight,
         "`binary_cross_entropy`: weight of a present class relative to an "
         "absent one; `null`: equal.")
        .more_than(0.0)
        .needs("train.loss", loss, LossKind::kBinaryCrossEntropy);
    v.field(
         "focal_alpha",
         focal_alpha,
         "`focal`: weight of a present class; an absent one has 1 - alpha; "
         "-1: no weights.")
        .one_of_or_at_least(-1.0, 0.0)
        .at_most(1.0)
        .needs("train.loss", loss, LossKind::kFocal);
    v.field(
         "focal_gamma",
         focal_gamma,
         "`focal`: how much less a sample counts that is nearly right.")
        .at_least(0.0)
        .needs("train.loss", loss, LossKind::kFocal);
    visit_class_weights(v, class_weights, class_balance, class_weighting);
  }
};

} // namespace vitrain::config
