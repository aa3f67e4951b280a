#include "optim/schedule.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

namespace vitrain::optim {
namespace {

using config::ScheduleKind;

double share_of(double part, std::int64_t whole) {
  return std::min(
      1.0, part / static_cast<double>(std::max<std::int64_t>(1, whole)));
}

// Returns half a cosine that falls from 1 at share 0 to 0 at share 1.
double half_cosine(double share) {
  return 0.5 * (1.0 + std::cos(std::numbers::pi * share));
}

// Interpolates between `from` and `to` along half_cosine().
double on_cosine(double from, double to, double share) {
  return to + (from - to) * half_cosine(share);
}

// Returns the first step of the cooldown; without one, the number of steps.
std::int64_t end_of(const Schedule& schedule) {
  return schedule.total_steps - schedule.cooldown_steps;
}

// Returns how often the rate has dropped by the beginning of step `step`.
double drops_before(const Schedule& schedule, double step) {
  return schedule.milestones.empty()
      ? std::floor(step / static_cast<double>(schedule.step_every))
      : static_cast<double>(std::ranges::count_if(
            schedule.milestones, [step](std::int64_t milestone) {
              return static_cast<double>(milestone) <= step;
            }));
}

double dropped(const Schedule& schedule, double drops) {
  return schedule.lr * std::pow(schedule.step_factor, drops);
}

// Peak of a cycle and the fraction of the cycle that has passed.
struct InCycle {
  double peak = 0.0;
  double share = 0.0;
};

// Returns the fraction of the total length of all cycles that precedes cycle
// `index`, accurate to a few roundings. Uses neither a sum over the cycles,
// whose rounding errors add up, nor a power that could overflow.
double share_before(const Schedule& schedule, std::int64_t index) {
  const auto begun = static_cast<double>(index);
  const auto count = static_cast<double>(schedule.cycles);
  if (schedule.cycle_mul == 1.0) {
    return begun / count;
  }
  const double growth = std::log(schedule.cycle_mul);
  const double size = std::abs(growth);
  const double share = std::expm1(-begun * size) / std::expm1(-count * size);
  return growth > 0.0 ? share * std::exp((begun - count) * growth) : share;
}

InCycle cycle_at(const Schedule& schedule, double step) {
  // Relative tolerance: a cycle that begins this close after a step counts as
  // begun.
  constexpr double kRounding = 1e-12;
  const std::int64_t start = schedule.warmup_prefix ? schedule.warmup_steps : 0;
  const auto length =
      static_cast<double>(std::max<std::int64_t>(1, end_of(schedule) - start));
  const double passed = std::min(length, step - static_cast<double>(start));
  const auto begins = [&](std::int64_t index) {
    return length * share_before(schedule, index);
  };
  // Finds the last started cycle by bisection: it is in [index, behind).
  std::int64_t index = 0;
  for (std::int64_t behind = schedule.cycles; behind - index > 1;) {
    const std::int64_t middle = std::midpoint(index, behind);
    const bool begun = begins(middle) <= passed * (1.0 + kRounding);
    (begun ? index : behind) = middle;
  }
  const double begin = begins(index);
  // 0 if late cycles are too short for fp64.
  const double size = begins(index + 1) - begin;
  return {
      schedule.lr * std::pow(schedule.cycle_decay, static_cast<double>(index)),
      size > 0.0 ? std::clamp((passed - begin) / size, 0.0, 1.0) : 1.0};
}

double on_cycles(const Schedule& schedule, double step) {
  const InCycle at = cycle_at(schedule, step);
  const double passed = std::pow(at.share, schedule.k_decay);
  const double left = schedule.kind == ScheduleKind::kCosine
      ? half_cosine(passed)
      : std::pow(1.0 - passed, schedule.power);
  return schedule.min_lr + (at.peak - schedule.min_lr) * left;
}

double on_one_cycle(const Schedule& schedule, double step) {
  const std::int64_t top = std::max<std::int64_t>(0, schedule.warmup_steps - 1);
  const auto passed = step - static_cast<double>(top);
  if (passed < 0.0) {
    return on_cosine(schedule.warmup_lr, schedule.lr, share_of(step, top));
  }
  return on_cosine(
      schedule.lr,
      schedule.min_lr,
      share_of(passed, end_of(schedule) - 1 - top));
}

// Returns the rate after the warm-up (of kOneCycle, also in it) as without the
// cooldown, except that kinds that depend on the run's length end where the
// cooldown begins.
double rate_at(const Schedule& schedule, double step) {
  const double behind = step - static_cast<double>(schedule.warmup_steps);
  switch (schedule.kind) {
    case ScheduleKind::kCosine:
    case ScheduleKind::kPolynomial:
    case ScheduleKind::kLinear:
      return on_cycles(schedule, step);
    case ScheduleKind::kStep:
      return dropped(schedule, drops_before(schedule, step));
    case ScheduleKind::kExponential:
      return dropped(
          schedule, behind / static_cast<double>(schedule.step_every));
    case ScheduleKind::kRsqrt:
      return schedule.lr /
          std::sqrt(1.0 + behind / static_cast<double>(schedule.timescale));
    case ScheduleKind::kOneCycle:
      return on_one_cycle(schedule, step);
    case ScheduleKind::kRangeTest:
      return schedule.warmup_lr *
          std::pow(
                 schedule.lr / schedule.warmup_lr,
                 share_of(
                     behind, end_of(schedule) - 1 - schedule.warmup_steps));
    case ScheduleKind::kPlateau:
      return std::max(
          std::min(schedule.lr, schedule.min_lr),
          dropped(schedule, static_cast<double>(schedule.drops)));
    case ScheduleKind::kConstant:
      break;
  }
  return schedule.lr;
}

// Returns the factor of the rate above min_lr when the fraction `share` of the
// cooldown has passed.
double cooldown_left(config::CooldownShape shape, double share) {
  switch (shape) {
    case config::CooldownShape::kSqrt:
      return 1.0 - std::sqrt(share);
    case config::CooldownShape::kLinear:
      return 1.0 - share;
    case config::CooldownShape::kCosine:
      break;
  }
  return half_cosine(share);
}

} // namespace

double learning_rate(const Schedule& schedule, double time) {
  double step = time + static_cast<double>(schedule.steps_ahead);
  if (schedule.hold_steps > 1) {
    step -= std::fmod(time, static_cast<double>(schedule.hold_steps));
  }
  const auto warmup = static_cast<double>(schedule.warmup_steps);
  if (step < warmup && schedule.kind != ScheduleKind::kOneCycle) {
    return schedule.warmup_lr +
        (schedule.lr - schedule.warmup_lr) * (step / warmup);
  }
  const double rate = rate_at(schedule, step);
  const auto end = static_cast<double>(end_of(schedule));
  if (schedule.cooldown_steps == 0 || step < end) {
    return rate;
  }
  // A cooldown never raises the rate, even if the rate is below min_lr.
  const double lowest = std::min(schedule.min_lr, rate);
  return lowest +
      (rate - lowest) *
      cooldown_left(
          schedule.cooldown_shape,
          share_of(step - end, schedule.cooldown_steps));
}

} // namespace vitrain::optim
