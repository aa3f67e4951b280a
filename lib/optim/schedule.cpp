#include "optim/schedule.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace vitrain::optim {
namespace {

// How often the rate has been dropped when step `step` begins.
std::int64_t drops_before(const Schedule& schedule, std::int64_t step) {
  return schedule.milestones.empty()
      ? step / schedule.step_every
      : std::ranges::upper_bound(schedule.milestones, step) -
          schedule.milestones.begin();
}

} // namespace

double learning_rate(const Schedule& schedule, std::int64_t step) {
  step += schedule.steps_ahead - step % schedule.hold_steps;
  if (step < schedule.warmup_steps) {
    const double share =
        static_cast<double>(step) / static_cast<double>(schedule.warmup_steps);
    return schedule.warmup_lr + (schedule.lr - schedule.warmup_lr) * share;
  }
  switch (schedule.kind) {
    case config::ScheduleKind::kCosine: {
      const std::int64_t length = std::max<std::int64_t>(
          1, schedule.total_steps - schedule.warmup_steps);
      const double share = std::min(
          1.0,
          static_cast<double>(step - schedule.warmup_steps) /
              static_cast<double>(length));
      return schedule.min_lr +
          0.5 * (schedule.lr - schedule.min_lr) *
          (1.0 + std::cos(std::numbers::pi * share));
    }
    case config::ScheduleKind::kStep:
      return schedule.lr *
          std::pow(
                 schedule.step_factor,
                 static_cast<double>(drops_before(schedule, step)));
    case config::ScheduleKind::kConstant:
      return schedule.lr;
  }
  return schedule.lr;
}

} // namespace vitrain::optim
