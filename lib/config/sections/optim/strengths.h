#pragma once

#include <optional>

#include "config/schema/duration.h"
#include "core/text/enum_names.h"

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
        "How much of model.drop_path there is. `rising`: from none to all over "
        "the run (ScheduledDropPath, Zoph et al., 2018); `early`: all before "
        "cutoff and none behind; `early_linear`: falling to none until there; "
        "`late`: none before and all behind (Liu et al., \"Dropout reduces "
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
         "Weight decay goes from optim.weight_decay to this on half a cosine "
         "over the run, as DINO and ConvNeXt have it, that of optim.groups in "
         "the same proportion; null: it stays.")
        .at_least(0.0);
  }
};

} // namespace vitrain::config
