#pragma once

#include <optional>
#include <string>

#include "core/enum_names.h"

namespace vitrain::config {

enum class DistillKind { kNone, kSoft, kHard };
constexpr auto names_of(DistillKind) {
  using enum DistillKind;
  return enum_names<DistillKind>(
      {{kNone, "none"}, {kSoft, "soft"}, {kHard, "hard"}});
}

// Head that learns from the teacher, for networks with two heads. kToken: the
// distillation head (the class head learns from labels); kMean: the mean of
// both, which also learns from labels; kAuto: kToken if there are two heads.
enum class DistillHead { kAuto, kMean, kToken };
constexpr auto names_of(DistillHead) {
  using enum DistillHead;
  return enum_names<DistillHead>(
      {{kAuto, "auto"}, {kMean, "mean"}, {kToken, "token"}});
}

// Knowledge distillation: learning from the outputs of another network.
struct DistillConfig {
  DistillKind type = DistillKind::kNone;
  DistillHead head = DistillHead::kAuto;
  std::string teacher;
  std::optional<std::string> pretrained;
  std::string pretrained_part;
  std::string pretrained_names = "auto";
  double alpha = 0.5;
  double temperature = 1.0;

  bool active() const { return type != DistillKind::kNone; }

  template <typename Visitor>
  void visit(Visitor& v) {
    const auto on = [this] { return active(); };
    v.field(
        "type",
        type,
        "`soft`: the divergence from the teacher's probabilities; `hard`: "
        "cross entropy with the class that it finds; as DeiT has them.");
    v.field(
         "head",
         head,
         "For a student with two heads (distilled DeiT, PiT, LeViT): "
         "`token`: the class head learns from the labels, the distillation "
         "head from the teacher, as in DeiT; `mean`: their mean learns from "
         "both. `auto`: token if there are two.")
        .needs("train.distill.type: soft or hard", on);
    v.field(
         "teacher",
         teacher,
         "Model name of the teacher. It sees the images of the student, at "
         "the same size, and is in evaluation mode.")
        .needs("train.distill.type: soft or hard", on);
    v.field(
         "pretrained",
         pretrained,
         "Its weights, as in model.pretrained: all of them, with the "
         "classifier.")
        .needs("train.distill.type: soft or hard", on);
    v.field("pretrained_part", pretrained_part, "As in `model`.")
        .needs("train.distill.type: soft or hard", on);
    v.field("pretrained_names", pretrained_names, "As in `model`.")
        .needs("train.distill.type: soft or hard", on);
    v.field(
         "alpha",
         alpha,
         "Share of the teacher: loss x (1 - alpha) + distillation x alpha.")
        .in_range(0.0, 1.0)
        .needs("train.distill.type: soft or hard", on);
    v.field(
         "temperature",
         temperature,
         "`soft`: divisor of the logits of both networks.")
        .more_than(0.0)
        .needs("train.distill.type", type, DistillKind::kSoft);
  }
};

} // namespace vitrain::config
