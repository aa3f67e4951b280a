#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "config/schema/duration.h"
#include "config/sections/cycles.h"
#include "config/sections/scale.h"
#include "config/sections/schedule_kinds.h"
#include "config/sections/strengths.h"

namespace vitrain::config {

// Learning rate as a function of the optimizer step.
struct ScheduleConfig : CyclesConfig {
  ScheduleKind name = ScheduleKind::kCosine;
  ScheduleUnit unit = ScheduleUnit::kStep;
  Duration warmup{0.0, Duration::Unit::kEpochs};
  double warmup_lr = 1e-6;
  bool warmup_prefix = true;
  double min_lr = 1e-5;
  Duration step_every{30.0, Duration::Unit::kEpochs};
  std::vector<Duration> milestones;
  double step_factor = 0.1;
  std::optional<Duration> timescale; // nullopt: the length of the warm-up
  std::int64_t patience = 10;
  double threshold = 1e-4;
  Duration cooldown{0.0, Duration::Unit::kEpochs};
  CooldownShape cooldown_shape = CooldownShape::kSqrt;
  bool paddle_exact_schedule = false;
  ScaleConfig scale;
  WeightDecaySchedule weight_decay;
  DropPathSchedule drop_path;

  // Returns true if min_lr has an effect.
  bool has_min_lr() const {
    using enum ScheduleKind;
    return cooldown.value > 0.0 ||
        (name != kStep && name != kExponential && name != kRsqrt &&
         name != kRangeTest && name != kConstant);
  }

  template <typename Visitor>
  void visit(Visitor& v) {
    v.field(
        "name",
        name,
        "`cosine`: half a cosine from lr to min_lr over the run; `linear`; "
        "`polynomial`: a power of the share that is left; `step`: x "
        "step_factor every step_every, or at milestones; `exponential`: the "
        "same in every step a little; `rsqrt`: 1 / sqrt(1 + t / timescale); "
        "`one_cycle`: up and down again, both as cosines (torch's OneCycleLR); "
        "`plateau`: x step_factor when evaluations no longer get better; "
        "`range_test`: up from warmup_lr to lr by the same factor in each step "
        "(Smith, 2017; -find_lr does it); "
        "`constant`.");
    v.field(
        "unit",
        unit,
        "`step`: the learning rate changes with every optimizer step; "
        "`epoch`: every step of an epoch has the value of its first step.");
    v.field(
        "warmup",
        warmup,
        "Linear rise from warmup_lr to lr at the start: `5ep`, `500st` or "
        "`0.1dur` (a share of the run). Part of the run, not added to it.");
    v.field(
         "warmup_lr",
         warmup_lr,
         "Learning rate of the first step of the "
         "warm-up.")
        .at_least(0.0)
        .needs("schedule.warmup, or schedule.name: range_test", [this] {
          return warmup.value > 0.0 || name == ScheduleKind::kRangeTest;
        });
    v.field(
         "warmup_prefix",
         warmup_prefix,
         "The schedule begins after the warm-up; false: it begins with the "
         "run, and the warm-up replaces its first part, as in timm.")
        .needs(
            "schedule.name",
            name,
            ScheduleKind::kCosine,
            ScheduleKind::kLinear,
            ScheduleKind::kPolynomial);
    v.field(
         "min_lr",
         min_lr,
         "Learning rate at the end; of `plateau` the lowest; at the end of "
         "every cooldown, which raises no rate that is lower.")
        .at_least(0.0)
        .needs(
            "schedule.cooldown, or schedule.name: cosine, linear, polynomial, "
            "one_cycle or plateau",
            [this] { return has_min_lr(); });
    visit_cycles(v, name);
    visit_drops(v);
    visit_ends(v);
    v.field(
        "paddle_exact_schedule",
        paddle_exact_schedule,
        "`unit: epoch`: every epoch has the rate of the next one, as in "
        "PaddleViT, whose first epoch is one step above warmup_lr and whose "
        "last is at min_lr.");
    v.section("scale", scale, "Scaling by the global batch.");
    v.section(
        "weight_decay",
        weight_decay,
        "Weight decay as a function of the step.");
    v.section("drop_path", drop_path, "Stochastic depth over the run.");
  }

 private:
  template <typename Visitor>
  void visit_drops(Visitor& v) {
    using enum ScheduleKind;
    v.field(
         "step_every",
         step_every,
         "`step`: interval of the drops; `exponential`: time in which the "
         "rate is multiplied by step_factor.")
        .more_than(0.0)
        .needs(
            "schedule.name: exponential, or step without schedule.milestones",
            [this] {
              return name == kExponential ||
                  (name == kStep && milestones.empty());
            });
    v.field(
         "milestones",
         milestones,
         "`step`: the drops, as in `[30ep, 60ep, 80ep]`, instead of "
         "step_every.")
        .each_more_than(0.0);
    v.field("step_factor", step_factor, "Factor of each drop.")
        .more_than(0.0)
        .at_most(1.0)
        .needs("schedule.name", name, kStep, kExponential, kPlateau);
  }

  template <typename Visitor>
  void visit_ends(Visitor& v) {
    using enum ScheduleKind;
    v.field(
         "timescale",
         timescale,
         "`rsqrt`: time after the warm-up in which the rate falls to 0.71 of "
         "lr; `auto`: length of the warm-up.")
        .auto_value()
        .more_than(0.0)
        .needs("schedule.name", name, kRsqrt);
    v.field(
         "patience",
         patience,
         "`plateau`: evaluations in a row that may be no better, by "
         "checkpoint.metric, before a drop.")
        .in_range(0, 1000000)
        .needs("schedule.name", name, kPlateau);
    v.field(
         "threshold",
         threshold,
         "`plateau`: by which share an evaluation has to be better.")
        .at_least(0.0)
        .less_than(1.0)
        .needs("schedule.name", name, kPlateau);
    v.field(
        "cooldown",
        cooldown,
        "The last part of the run, in which the scheduled rate is reduced to "
        "min_lr; `constant` with a cooldown is known as WSD.");
    v.field(
         "cooldown_shape",
         cooldown_shape,
         "Of the way down: 1 - `sqrt` of the share that has passed, 1 - it "
         "(`linear`), or half a `cosine`.")
        .needs("schedule.cooldown", [this] { return cooldown.value > 0.0; });
  }
};

} // namespace vitrain::config
