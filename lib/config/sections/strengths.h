#pragma once

#include <optional>

#include "config/schema/duration.h"
#include "core/enum_names.h"

namespace vitrain::config {

enum class DropPathShape { kConstant, kRising, kEarly, kEarlyLinear, kLate };
constexpr auto names_of(DropPathShape) {
  using enum DropPathShape;
  return enum_names<DropPathShape>(
      {{kConstant, "constant"},
       {kRising, "rising"},
       {kEarly, "early"},
       {kEarlyLinear, "early_linear"},
       {kLate, "late"}});
}

// model.drop_path as a function of the optimizer step.
struct DropPathSchedule {
  DropPathShape shape = DropPathShape::kConstant;
  Duration cutoff{0.0, Duration::Unit::kEpochs};

  bool has_cutoff() const {
    using enum DropPathShape;
    return shape == kEarly || shape == kEarlyLinear || shape == kLate;
  }

  template <typename Visitor>
  void visit(Visitor& v) {
    v.field(
        "shape",
        shape,
        "Factor of model.drop_path over the run. `rising`: from 0 to 1 "
        "(ScheduledDropPath, Zoph et al., 2018); `early`: 1 before cutoff "
        "and 0 after it; `early_linear`: falling to 0 at cutoff; `late`: 0 "
        "before cutoff and 1 after it (Liu et al., \"Dropout reduces "
        "underfitting\", 2023).");
    v.field(
         "cutoff",
         cutoff,
         "Where `early` and `early_linear` end and `late` "
         "begins, as in `50ep` or `0.2dur`.")
        .needs("schedule.drop_path.shape: early, early_linear or late", [this] {
          return has_cutoff();
        });
  }
};

// optim.weight_decay as a function of the optimizer step.
struct WeightDecaySchedule {
  std::optional<double> end;

  template <typename Visitor>
  void visit(Visitor& v) {
    v.field(
         "end",
         end,
         "Weight decay changes from optim.weight_decay to this along half a "
         "cosine over the run, as in DINO and ConvNeXt, and in optim.groups "
         "in proportion; null: it is constant.")
        .at_least(0.0);
  }
};

} // namespace vitrain::config
