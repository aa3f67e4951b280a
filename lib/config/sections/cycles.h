#pragma once

#include <cstdint>

#include "config/sections/schedule_kinds.h"

namespace vitrain::config {

// Keys of `schedule` for the cosine and polynomial curves, along which the
// learning rate falls once or, in cycles, several times.
struct CyclesConfig {
  std::int64_t cycles = 1;
  double cycle_mul = 1.0;
  double cycle_decay = 1.0;
  double k_decay = 1.0;
  double power = 1.0;

 protected:
  template <typename Visitor>
  void visit_cycles(Visitor& v, const ScheduleKind& name) {
    using enum ScheduleKind;
    const auto several = [this, &name] {
      return cycles > 1 && (name == kCosine || name == kPolynomial);
    };
    v.field("cycles", cycles, "How often it comes down in the run.")
        .in_range(1, 1000000)
        .needs("schedule.name", name, kCosine, kPolynomial);
    v.field("cycle_mul", cycle_mul, "How much longer each cycle is.")
        .more_than(0.0)
        .needs("schedule.cycles", several);
    v.field("cycle_decay", cycle_decay, "Factor of each cycle's peak.")
        .more_than(0.0)
        .needs("schedule.cycles", several);
    v.field(
         "k_decay",
         k_decay,
         "Power of the time that has passed (arXiv:2004.05909).")
        .more_than(0.0)
        .needs("schedule.name", name, kCosine, kPolynomial);
    v.field("power", power, "`polynomial`: of the share that is left.")
        .more_than(0.0)
        .needs("schedule.name", name, kPolynomial);
  }
};

} // namespace vitrain::config
