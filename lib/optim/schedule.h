#pragma once

#include <cstdint>
#include <vector>

#include "config/sections/schedule.h"

namespace vitrain::optim {

// The learning rate as a pure function of the optimizer step: nothing to
// restore when a run is resumed.
struct Schedule {
  config::ScheduleKind kind = config::ScheduleKind::kCosine;
  // Steps that share the learning rate of their first one: an epoch's with
  // schedule.unit: epoch.
  std::int64_t hold_steps = 1;
  // The rate is that of so many steps later: an epoch's with
  // schedule.paddle_exact_schedule.
  std::int64_t steps_ahead = 0;
  std::int64_t total_steps = 1;
  std::int64_t warmup_steps = 0;
  double lr = 0.0; // peak, scaled
  double warmup_lr = 0.0;
  double min_lr = 0.0;
  std::int64_t step_every = 1; // kStep: steps between drops
  // kStep: steps of the drops, ascending, instead of step_every when not empty.
  std::vector<std::int64_t> milestones;
  double step_factor = 1.0;
};

// Learning rate of step `step` (0 is the first), whose last part (modulo
// hold_steps) does not count. With s that plus steps_ahead, w warm-up steps and
// T in all: s < w: warmup_lr + (lr - warmup_lr) s / w; then, with t = s - w,
// cosine: min_lr + (lr - min_lr) (1 + cos(pi t / (T - w))) / 2 (Loshchilov,
// Hutter, "SGDR", ICLR 2017, one cycle); step: lr step_factor^floor(s /
// step_every), or lr step_factor^(number of milestones <= s); constant: lr.
double learning_rate(const Schedule& schedule, std::int64_t step);

} // namespace vitrain::optim
