#pragma once

#include <cstdint>
#include <optional>

#include "config/sections/train_safety.h"

namespace vitrain::config {

// train.on_spike: reaction to a step whose loss is far above those before.
struct SpikeConfig {
  std::optional<double> factor;
  std::int64_t window = 100;
  OnNonFinite action = OnNonFinite::kStop;
  std::int64_t in_a_row = 5;

  bool active() const { return factor.has_value(); }
  // Returns true if the run continues after a spike.
  bool goes_on() const { return active() && action != OnNonFinite::kStop; }

  template <typename Visitor>
  void visit(Visitor& v) {
    v.field(
         "factor",
         factor,
         "A step is a spike if its loss is more than this number times the "
         "median of the last `window` steps that were none; it changes no "
         "weight. `null`: losses are not compared.")
        .more_than(1.0);
    const auto on = [this] { return active(); };
    v.field("window", window, "Steps whose losses are compared.")
        .in_range(1, 100000)
        .needs("train.on_spike.factor", on);
    v.field(
         "action",
         action,
         "Reaction to a spike. `stop`: exit 5. `skip`: the run continues with "
         "the next step. `rollback`: weights and optimizer are reset to the "
         "last checkpoint, and the run continues with the next step.")
        .needs("train.on_spike.factor", on);
    v.field(
         "in_a_row",
         in_a_row,
         "So many steps in a row may be skipped or rolled back; one more is "
         "exit 5.")
        .at_least(1)
        .needs("train.on_spike.action: skip or rollback", [this] {
          return goes_on();
        });
  }
};

} // namespace vitrain::config
