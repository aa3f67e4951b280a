#pragma once

#include "config/schema/duration.h"

namespace vitrain::config {

// Keys for dist.compress: topk: only the largest entries of gradients are
// exchanged (docs/synchronisation.md).
struct TopKConfig {
  double share = 0.01;
  Duration start{0.0, Duration::Unit::kSteps};
  Duration warmup{0.1, Duration::Unit::kFraction};
  bool momentum_correction = false;
  bool momentum_masking = true;

  template <typename Visitor>
  void visit(Visitor& v) {
    v.field(
         "share",
         share,
         "Share of each gradient that a device sends in a step, the values "
         "of largest magnitude: 0.001 is a thousandth.")
        .more_than(0.0)
        .less_than(0.5);
    v.field("start", start, "Until then gradients travel as they are.");
    v.field(
        "warmup",
        warmup,
        "From `start` on, for so long, more is sent: in four stages of equal "
        "length share^(1/5), share^(2/5), share^(3/5) and share^(4/5).");
    v.field(
        "momentum_correction",
        momentum_correction,
        "Each device accumulates velocities instead of gradients, so that "
        "delayed values include their momentum; for optim.name: sgd, which "
        "then applies no momentum itself.");
    v.field(
         "momentum_masking",
         momentum_masking,
         "The velocity of sent values is reset, so that late gradients do "
         "not push weights further.")
        .needs("dist.topk.momentum_correction", [this] {
          return momentum_correction;
        });
  }
};

} // namespace vitrain::config
