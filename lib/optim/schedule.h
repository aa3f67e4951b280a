#pragma once

#include <cstdint>
#include <vector>

#include "config/sections/optim/schedule.h"

namespace vitrain::optim {

// The learning rate as a pure function of the optimizer step: nothing to
// restore when a run is resumed (but of kPlateau its drops).
struct Schedule {
  config::ScheduleKind kind = config::ScheduleKind::kCosine;
  // Steps that share the learning rate of their first one: an epoch's with
  // schedule.unit: epoch.
  std::int64_t hold_steps = 1;
  // The schedule is evaluated this many steps later: one epoch with
  // schedule.paddle_exact_schedule.
  std::int64_t steps_ahead = 0;
  std::int64_t total_steps = 1;
  std::int64_t warmup_steps = 0;
  std::int64_t cooldown_steps = 0; // the last ones of total_steps
  config::CooldownShape cooldown_shape = config::CooldownShape::kSqrt;
  double lr = 0.0; // peak, scaled
  double warmup_lr = 0.0;
  double min_lr = 0.0;
  // True: the schedule after the warm-up starts at its end; false: at step 0.
  bool warmup_prefix = true;
  std::int64_t cycles = 1; // kCosine, kPolynomial
  double cycle_mul =
      1.0; // ratio of the lengths of a cycle and the previous one
  double cycle_decay = 1.0; // ratio of their peaks
  double k_decay = 1.0;
  double power = 1.0; // kPolynomial
  std::int64_t step_every = 1; // kStep, kExponential: steps between drops
  // kStep: steps of the drops, ascending, instead of step_every when not empty.
  std::vector<std::int64_t> milestones;
  double step_factor = 1.0;
  std::int64_t timescale = 1; // kRsqrt, steps
  std::int64_t drops = 0; // kPlateau: how often the rate has been dropped
};

// Learning rate of step `time` (0 is the first; a fraction where steps of the
// run are parts of the schedule's), whose last part (modulo hold_steps, where
// that is more than 1) does not count. With s that plus steps_ahead, w warm-up
// steps, c of the cooldown, T in all and E = T - c:
//
// s < w: warmup_lr + (lr - warmup_lr) s / w. Then, with t = s - w and the
// length L = E - w (or t = s and L = E without warmup_prefix):
//   cosine: min_lr + (p - min_lr) (1 + cos(pi x^k)) / 2 (Loshchilov, Hutter,
//     "SGDR", ICLR 2017), x the share of the cycle that has passed, p its peak
//     lr cycle_decay^i, k from "k-decay" (arXiv:2004.05909);
//   polynomial: min_lr + (p - min_lr) (1 - x^k)^power; linear: power and k 1;
//   exponential: lr step_factor^(t / step_every);
//   rsqrt: lr / sqrt(1 + t / timescale) (Zhai et al., "Scaling Vision
//     Transformers", CVPR 2022);
//   step: lr step_factor^floor(s / step_every), or lr step_factor^(number of
//     milestones <= s);
//   one_cycle: half a cosine from warmup_lr in step 0 to lr in step w - 1, and
//     one from there to min_lr in step E - 1 (torch's OneCycleLR);
//   range_test: warmup_lr (lr / warmup_lr)^(t / (L - 1)) (Smith, "Cyclical
//     learning rates", 2017);
//   plateau: lr step_factor^drops, at least min_lr; constant: lr.
//
// s >= E: min_lr + (that - min_lr) d(y), y the share of the cooldown that has
// passed: d = 1 - sqrt(y) (Hägele et al., arXiv:2405.18392), 1 - y, or
// (1 + cos(pi y)) / 2; where that is less than min_lr, that.
double learning_rate(const Schedule& schedule, double time);

} // namespace vitrain::optim
