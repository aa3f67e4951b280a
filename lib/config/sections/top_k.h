#pragma once

#include "config/schema/duration.h"

namespace vitrain::config {

// Only the largest entries of gradients travel (docs/synchronisation.md).
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
         "Share of each gradient that a device sends in a step, those of the "
         "largest magnitude: 0.001 is a thousandth.")
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
        "Each device adds up its own velocity instead of its gradient, so that "
        "what is sent late has the momentum that it would have had; for "
        "optim.name: sgd, which then makes no momentum of its own.");
    v.field(
         "momentum_masking",
         momentum_masking,
         "The velocity of what is sent begins anew: late gradients do not "
         "drive weights further.")
        .needs("dist.topk.momentum_correction", [this] {
          return momentum_correction;
        });
  }
};

} // namespace vitrain::config
