#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "config/sections/class_weights.h"
#include "config/sections/distill.h"
#include "config/sections/ema.h"
#include "config/sections/prune.h"
#include "config/sections/spike.h"
#include "config/sections/train_precision.h"
#include "config/sections/train_safety.h"
#include "core/enum_names.h"

namespace vitrain::config {

enum class LossKind {
  kCrossEntropy,
  kBinaryCrossEntropy,
  kFocal,
  kAsymmetric,
  kZlpr,
  kPoly1,
  kJensenShannon,
  kMse,
  kL1,
  kHuber,
  kPixels
};
constexpr auto names_of(LossKind) {
  using enum LossKind;
  return enum_names<LossKind>(
      {{kCrossEntropy, "cross_entropy"},
       {kBinaryCrossEntropy, "binary_cross_entropy"},
       {kFocal, "focal"},
       {kAsymmetric, "asymmetric"},
       {kZlpr, "zlpr"},
       {kPoly1, "poly1"},
       {kJensenShannon, "jensen_shannon"},
       {kMse, "mse"},
       {kL1, "l1"},
       {kHuber, "huber"},
       {kPixels, "pixels"}});
}
// Returns true if the loss compares numbers: for data of kind `vectors`.
constexpr bool is_regression(LossKind loss) {
  return loss == LossKind::kMse || loss == LossKind::kL1 ||
      loss == LossKind::kHuber;
}
// Returns true if the loss is for classes, so that top-1 and smoothing are
// defined.
constexpr bool has_classes(LossKind loss) {
  return !is_regression(loss) && loss != LossKind::kPixels;
}
// Returns true if any number of classes may be present in a sample.
constexpr bool is_binary(LossKind loss) {
  return loss == LossKind::kBinaryCrossEntropy || loss == LossKind::kFocal ||
      loss == LossKind::kAsymmetric || loss == LossKind::kZlpr;
}
// Returns true if a sample's loss is a mean or sum of one loss per class.
constexpr bool is_summed(LossKind loss) {
  return is_binary(loss) && loss != LossKind::kZlpr;
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
  double asymmetric_gamma_absent = 4.0;
  double asymmetric_gamma_present = 1.0;
  double asymmetric_clip = 0.05;
  double poly1_epsilon = 2.0;
  double huber_delta = 1.0;
  std::vector<double> class_weights;
  ClassBalance class_balance = ClassBalance::kNone;
  ClassWeighting class_weighting = ClassWeighting::kSample;
  std::int64_t jsd_splits = 3;
  double jsd_alpha = 12.0;
  std::string recompute = "none";
  OnNonFinite on_non_finite = OnNonFinite::kStop;
  std::int64_t non_finite_in_a_row = 5;
  std::int64_t non_finite_in_all = 100;
  SpikeConfig on_spike;
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
        "easy samples, `asymmetric`, which does so more for absent classes "
        "(Ridnik et al., 2021; as timm), and `zlpr`, which ranks present "
        "classes above absent ones (Su et al., 2022), in training, while "
        "evaluation reports cross entropy; `poly1`: cross entropy plus "
        "poly1_epsilon times the probability of all other classes (Leng et "
        "al., 2022); "
        "`jensen_shannon`: cross entropy of the image with crop and flips "
        "only, plus the divergence of its augmented versions (AugMix); "
        "`mse`, `l1` and `huber`: mean squared, absolute and Huber's error, "
        "for data.train.kind: vectors; `pixels`: "
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
         "Losses of independent classes: targets above it count as 1, all "
         "other targets as 0; `null`: unchanged targets (`zlpr`: 0.5).")
        .at_least(0.0)
        .less_than(1.0);
    v.field(
        "bce_sum",
        bce_sum,
        "`binary_cross_entropy`, `focal` and `asymmetric`: the sum over the "
        "classes instead of their mean.");
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
    v.section("on_spike", on_spike, "Steps whose loss is far above others.");
    v.section("ema", ema, "Moving average of the weights.");
    v.section("prune", prune, "Weights of small magnitude become zero.");
    v.section("distill", distill, "Learning from a teacher.");
  }

 private:
  // Keys that only some losses have.
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
    visit_newer(v);
    visit_class_weights(v, class_weights, class_balance, class_weighting);
  }

  // Keys of asymmetric, poly1 and huber.
  template <typename Visitor>
  void visit_newer(Visitor& v) {
    v.field(
         "asymmetric_gamma_absent",
         asymmetric_gamma_absent,
         "`asymmetric`: focal_gamma of absent classes.")
        .at_least(0.0)
        .needs("train.loss", loss, LossKind::kAsymmetric);
    v.field(
         "asymmetric_gamma_present",
         asymmetric_gamma_present,
         "`asymmetric`: focal_gamma of present classes.")
        .at_least(0.0)
        .needs("train.loss", loss, LossKind::kAsymmetric);
    v.field(
         "asymmetric_clip",
         asymmetric_clip,
         "`asymmetric`: probability up to which an absent class costs nothing.")
        .at_least(0.0)
        .less_than(1.0)
        .needs("train.loss", loss, LossKind::kAsymmetric);
    v.field(
         "poly1_epsilon", poly1_epsilon, "`poly1`: factor of the added term.")
        .at_least(-1.0)
        .needs("train.loss", loss, LossKind::kPoly1);
    v.field(
         "huber_delta",
         huber_delta,
         "`huber`: error from which it grows linearly.")
        .more_than(0.0)
        .needs("train.loss", loss, LossKind::kHuber);
  }
};

} // namespace vitrain::config
