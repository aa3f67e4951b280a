#pragma once

#include <cstdint>
#include <vector>

#include "config/sections/schedule.h"

namespace vitrain::optim {

// Parameters of the learning rate schedule. The rate is a pure function of the
// optimizer step, so a resumed run has nothing to restore (except `drops` of
// kPlateau).
struct Schedule {
  config::ScheduleKind kind = config::ScheduleKind::kCosine;
  // Number of consecutive steps that use the learning rate of their first step:
  // an epoch's with schedule.unit: epoch.
  std::int64_t hold_steps = 1;
  // The schedule is evaluated this many steps later: one epoch with
  // schedule.paddle_exact_schedule.
  std::int64_t steps_ahead = 0;
  std::int64_t total_steps = 1;
  std::int64_t warmup_steps = 0;
  std::int64_t cooldown_steps = 0; // included in total_steps, at its end
  config::CooldownShape cooldown_shape = config::CooldownShape::kSqrt;
  double lr = 0.0; // peak rate, after scaling by schedule.scale
  double warmup_lr = 0.0;
  double min_lr = 0.0;
  // True: the main schedule starts after the warm-up; false: at step 0, and the
  // warm-up replaces its first steps.
  bool warmup_prefix = true;
  std::int64_t cycles = 1; // kCosine, kPolynomial
  // Ratio of the length of a cycle to the length of the previous one.
  double cycle_mul = 1.0;
  double cycle_decay = 1.0; // ratio of a cycle's peak to the previous one's
  double k_decay = 1.0;
  double power = 1.0; // kPolynomial
  std::int64_t step_every = 1; // kStep, kExponential: steps between drops
  // kStep: steps at which the rate drops, ascending; if not empty, used instead
  // of step_every.
  std::vector<std::int64_t> milestones;
  double step_factor = 1.0;
  std::int64_t timescale = 1; // kRsqrt: in steps
  std::int64_t drops = 0; // kPlateau: number of drops so far
};

// Returns the learning rate of step `time` (0 is the first step; fractional if
// a step of the run is only part of a step of the schedule). If hold_steps > 1,
// `time` is rounded down to a multiple of it. With s = time + steps_ahead, w
// warm-up steps, c cooldown steps, T total steps and E = T - c:
//
// s < w, except for one_cycle: warmup_lr + (lr - warmup_lr) s / w. Then, with t
// = s - w and the length L = E - w (cosine, polynomial and linear without
// warmup_prefix: t = s and L = E):
//   cosine: min_lr + (p - min_lr) (1 + cos(pi x^k)) / 2 (Loshchilov, Hutter,
//     "SGDR", ICLR 2017), x the fraction of cycle i that has passed, p its
//     peak lr cycle_decay^i, k = k_decay (arXiv:2004.05909);
//   polynomial: min_lr + (p - min_lr) (1 - x^k)^power; linear: power = k = 1;
//   exponential: lr step_factor^(t / step_every);
//   rsqrt: lr / sqrt(1 + t / timescale) (Zhai et al., "Scaling Vision
//     Transformers", CVPR 2022);
//   step: lr step_factor^floor(s / step_every), or lr step_factor^(number of
//     milestones <= s);
//   one_cycle: half a cosine from warmup_lr in step 0 to lr in step w - 1, then
//     half a cosine to min_lr in step E - 1 (torch's OneCycleLR);
//   range_test: warmup_lr (lr / warmup_lr)^(t / (L - 1)) (Smith, "Cyclical
//     learning rates", 2017);
//   plateau: lr step_factor^drops, at least min_lr; constant: lr.
//
// s >= E, if c > 0: min_lr + (r - min_lr) d(y), where r is the rate above and y
// the fraction of the cooldown that has passed: d = 1 - sqrt(y) (Hägele et al.,
// arXiv:2405.18392), 1 - y, or (1 + cos(pi y)) / 2; if r < min_lr, r.
double learning_rate(const Schedule& schedule, double time);

} // namespace vitrain::optim
