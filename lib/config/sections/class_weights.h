#pragma once

#include <vector>

#include "core/enum_names.h"

namespace vitrain::config {

enum class ClassBalance { kNone, kInverse };
constexpr auto names_of(ClassBalance) {
  using enum ClassBalance;
  return enum_names<ClassBalance>({{kNone, "none"}, {kInverse, "inverse"}});
}
enum class ClassWeighting { kSample, kTerms };
constexpr auto names_of(ClassWeighting) {
  using enum ClassWeighting;
  return enum_names<ClassWeighting>({{kSample, "sample"}, {kTerms, "terms"}});
}

// Keys of `train` that weight the classes in the loss.
template <typename Visitor>
void visit_class_weights(
    Visitor& v,
    std::vector<double>& weights,
    ClassBalance& balance,
    ClassWeighting& weighting) {
  v.field(
       "class_weights",
       weights,
       "Weight of each class in the loss, in the order of the classes; empty: "
       "all 1. Losses are divided by the number of samples.")
      .each_at_least(0.0);
  v.field(
      "class_balance",
      balance,
      "`inverse`: the weights that give all classes the same share of the "
      "loss: samples / (classes that have samples x samples of the class); a "
      "class without samples has weight 0.");
  v.field(
       "class_weighting",
       weighting,
       "`sample`: the weight of a sample's class multiplies the whole loss of "
       "the sample; a mixed sample has the weights of both its classes, each "
       "by its share. `terms`: as torch's `weight`, the weight of each class "
       "multiplies that class's term of the loss: with label_smoothing, mixing "
       "and losses of each class by itself, heavy classes then count in the "
       "samples of all other classes. Samples with several labels "
       "(multi_label) always have `terms`.")
      .needs("train.class_weights or class_balance", [&weights, &balance] {
        return !weights.empty() || balance != ClassBalance::kNone;
      });
}

} // namespace vitrain::config
