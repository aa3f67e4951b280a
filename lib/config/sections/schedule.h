#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "config/schema/duration.h"
#include "core/enum_names.h"

namespace vitrain::config {

enum class ScheduleKind { kCosine, kStep, kConstant };
constexpr auto names_of(ScheduleKind) {
  using enum ScheduleKind;
  return enum_names<ScheduleKind>(
      {{kCosine, "cosine"}, {kStep, "step"}, {kConstant, "constant"}});
}
enum class ScaleRule { kNone, kLinear, kSqrt };
constexpr auto names_of(ScaleRule) {
  using enum ScaleRule;
  return enum_names<ScaleRule>(
      {{kNone, "none"}, {kLinear, "linear"}, {kSqrt, "sqrt"}});
}
enum class ScheduleUnit { kStep, kEpoch };
constexpr auto names_of(ScheduleUnit) {
  using enum ScheduleUnit;
  return enum_names<ScheduleUnit>({{kStep, "step"}, {kEpoch, "epoch"}});
}

// Learning rate as a function of the global batch.
struct ScaleConfig {
  ScaleRule rule = ScaleRule::kNone;
  std::optional<std::int64_t> base_batch = 256; // none: per_device
  std::vector<std::string> apply_to{"lr"};

  template <typename Visitor>
  void visit(Visitor& v) {
    v.field(
        "rule",
        rule,
        "`linear`: x G / base_batch, `sqrt`: x sqrt(G / base_batch), with G "
        "the global batch; `none`: x 1.");
    v.field(
         "base_batch",
         base_batch,
         "Global batch that `lr` was chosen for. `per_device`: one device's "
         "share, so that `linear` is times the number of devices, as in "
         "Horovod's and Paddle's guides; with batch_mode: global, whose batch "
         "does not grow with the devices, lr then stays as it is.")
        .none_word("per_device")
        .in_range(1, std::int64_t{1} << 40)
        .needs(
            "schedule.scale.rule", rule, ScaleRule::kLinear, ScaleRule::kSqrt);
    v.field(
         "apply_to",
         apply_to,
         "What is scaled: any of `lr`, `warmup_lr`, `min_lr`.")
        .each_of({"lr", "warmup_lr", "min_lr"})
        .needs(
            "schedule.scale.rule", rule, ScaleRule::kLinear, ScaleRule::kSqrt);
  }
};

// Learning rate as a function of the optimizer step.
struct ScheduleConfig {
  ScheduleKind name = ScheduleKind::kCosine;
  ScheduleUnit unit = ScheduleUnit::kStep;
  Duration warmup{0.0, Duration::Unit::kEpochs};
  double warmup_lr = 1e-6;
  double min_lr = 1e-5;
  Duration step_every{30.0, Duration::Unit::kEpochs};
  std::vector<Duration> milestones;
  double step_factor = 0.1;
  bool paddle_exact_schedule = false;
  ScaleConfig scale;

  template <typename Visitor>
  void visit(Visitor& v) {
    v.field(
        "name",
        name,
        "`cosine`: half a cosine from lr to min_lr over the run; `step`: "
        "x step_factor every step_every, or at milestones; `constant`.");
    v.field(
        "unit",
        unit,
        "`step`: the learning rate changes with every optimizer step; `epoch`: "
        "every step of an epoch has that of its first one.");
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
        .needs("schedule.warmup", [this] { return warmup.value > 0.0; });
    v.field("min_lr", min_lr, "`cosine`: learning rate at the end.")
        .at_least(0.0)
        .needs("schedule.name", name, ScheduleKind::kCosine);
    v.field("step_every", step_every, "`step`: interval of the drops.")
        .more_than(0.0)
        .needs("schedule.name: step without schedule.milestones", [this] {
          return name == ScheduleKind::kStep && milestones.empty();
        });
    v.field(
         "milestones",
         milestones,
         "`step`: the drops, as in `[30ep, 60ep, 80ep]`, instead of "
         "step_every.")
        .each_more_than(0.0);
    v.field("step_factor", step_factor, "`step`: factor of each drop.")
        .more_than(0.0)
        .at_most(1.0)
        .needs("schedule.name", name, ScheduleKind::kStep);
    v.field(
        "paddle_exact_schedule",
        paddle_exact_schedule,
        "`unit: epoch`: every epoch has the rate of the next one, as in "
        "PaddleViT, whose first epoch is one step above warmup_lr and whose "
        "last is at min_lr.");
    v.section("scale", scale, "Scaling by the global batch.");
  }
};

} // namespace vitrain::config
