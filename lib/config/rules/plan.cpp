#include "config/rules/plan.h"

#include <algorithm>
#include <cassert>
#include <cmath>

#include <fmt/format.h>

#include "config/rules/dist_rules.h"
#include "config/rules/stages.h"
#include "core/check.h"
#include "core/text.h"

namespace vitrain::config {
namespace {

// Returns the samples of a device, or of a shard if there are shards:
// data.batch_size; with batch_mode: global the largest share, ceil(batch_size /
// devices), which the first replicas get, since DataParallel splits a batch so
// (at::chunk). Throws Error(kUsage) if shares would differ but must not.
std::int64_t device_batch(const Recipe& recipe, const BatchPlan& plan) {
  const DataConfig& data = recipe.data;
  if (data.batch_mode == BatchMode::kPerDevice) {
    return data.batch_size;
  }
  const std::int64_t devices = plan.shards > 0 ? plan.shards : plan.devices();
  VITRAIN_CHECK(
      shares_may_differ(recipe) || data.batch_size % devices == 0,
      ExitCode::kUsage,
      "data.batch_size: {} (batch_mode: global) cannot be divided among {} "
      "{}",
      data.batch_size,
      devices,
      plan.shards > 0 ? "shards (run.shards)" : "workers");
  return (data.batch_size + devices - 1) / devices;
}

// Maximum for `eval_batch_size: auto` with batch_mode: global, where batch_size
// counts the samples of all devices.
constexpr std::int64_t kLargestAutoEvalBatch = 256;

// Converts a duration from the start of the run into steps.
std::int64_t steps_of(const Duration& duration, const Plan& plan) {
  return duration.unit == Duration::Unit::kEpochs && !plan.timeline.even()
      ? plan.timeline.step_at(duration.value)
      : duration.steps(plan.steps_per_epoch, plan.total_steps);
}

// Converts a duration into the schedule's time.
std::int64_t time_of(const Duration& duration, const Plan& plan) {
  return duration.unit == Duration::Unit::kSteps && !plan.timeline.even()
      ? std::llround(
            plan.schedule_time(static_cast<std::int64_t>(duration.value)))
      : duration.steps(plan.steps_per_epoch, plan.schedule_steps);
}

Interval interval(const Duration& every, const Plan& plan) {
  if (every.is_time()) {
    return {.seconds = every.value};
  }
  Interval interval{std::max<std::int64_t>(
      1, every.steps(plan.steps_per_epoch, plan.total_steps))};
  if (every.unit == Duration::Unit::kEpochs && !plan.timeline.even()) {
    interval.epochs = every.value;
  }
  return interval;
}

// Returns "4 workers", "2 replicas", "8 shards".
std::string devices_text(const BatchPlan& plan) {
  if (plan.shards > 0) {
    return counted(plan.shards, "shard");
  }
  return fmt::format(
      "{} {}{}",
      plan.devices(),
      plan.replicas > 1 ? "replica" : "worker",
      plan.devices() == 1 ? "" : "s");
}

// Factor of schedule.scale, and its computation as text: " x 1024 / 512".
struct Scaling {
  double factor = 1.0;
  std::string text;
};

Scaling scaling_of(const ScaleConfig& scale, BatchMode mode, const Plan& plan) {
  if (scale.rule == ScaleRule::kNone) {
    return {};
  }
  const bool root = scale.rule == ScaleRule::kSqrt;
  // With base_batch: per_device, lr is for the batch of one device, or with
  // batch_mode: global, for the batch of all devices.
  if (!scale.base_batch && mode == BatchMode::kGlobal) {
    return {};
  }
  const std::int64_t base =
      scale.base_batch.value_or(plan.device_batch * plan.part_batches());
  const double ratio =
      static_cast<double>(plan.global_batch) / static_cast<double>(base);
  std::string text = scale.base_batch
      ? fmt::format("{} / {}", plan.global_batch, base)
      : devices_text(plan);
  if (root) {
    return {std::sqrt(ratio), fmt::format(" x sqrt({})", text)};
  }
  return {ratio, " x " + text};
}

bool is_scaled(const ScaleConfig& scale, const char* what) {
  return std::ranges::find(scale.apply_to, what) != scale.apply_to.end();
}

void scale_rates(const Recipe& recipe, Plan& plan) {
  const ScheduleConfig& schedule = recipe.schedule;
  const Scaling scaling =
      scaling_of(schedule.scale, recipe.data.batch_mode, plan);
  const auto scaled = [&](const char* what, double value) {
    return is_scaled(schedule.scale, what) ? value * scaling.factor : value;
  };
  plan.lr = scaled("lr", recipe.optim.lr);
  plan.warmup_lr = scaled("warmup_lr", schedule.warmup_lr);
  plan.min_lr = scaled("min_lr", schedule.min_lr);
  plan.lr_text = scaling.text.empty() || !is_scaled(schedule.scale, "lr")
      ? fmt::format("{:.6g} (not scaled)", plan.lr)
      : fmt::format(
            "{:.6g}{} = {:.6g}", recipe.optim.lr, scaling.text, plan.lr);
}

} // namespace

bool updates_average(
    const EmaConfig& ema,
    const Timeline& timeline,
    std::int64_t step) {
  return ema.count == EmaCount::kRun
      ? step % ema.every == 0
      : timeline.step_in_epoch(step - 1) % ema.every == 0;
}

std::int64_t eval_batch(const DataConfig& data) {
  const std::int64_t automatic = data.batch_mode == BatchMode::kPerDevice
      ? data.batch_size
      : std::min(data.batch_size, kLargestAutoEvalBatch);
  return data.eval_batch_size.value_or(automatic);
}

BatchPlan plan_batch(const Recipe& recipe, std::int64_t devices) {
  assert(devices >= 1);
  BatchPlan plan;
  const bool together = recipe.dist.mode == DistMode::kSingleProcess;
  plan.workers = together ? 1 : devices;
  plan.replicas = together ? devices : 1;
  plan.shards = recipe.run.elastic() ? recipe.run.shards : 0;
  plan.device_batch = device_batch(recipe, plan);
  const std::int64_t accumulate = recipe.train.accumulate;
  const std::int64_t parts = plan.shards > 0 ? plan.shards : devices;
  VITRAIN_CHECK(
      parts % devices == 0,
      ExitCode::kUsage,
      "run.shards: {} shards cannot be divided among {}",
      plan.shards,
      counted(devices, "worker"));
  plan.accumulate =
      plan.shards > 0 ? accumulate * plan.shards / devices : accumulate;
  const std::int64_t all = recipe.data.batch_mode == BatchMode::kGlobal
      ? recipe.data.batch_size
      : plan.device_batch * parts;
  plan.global_batch = all * accumulate;
  const bool even = plan.device_batch * parts == all;
  plan.batch_text = fmt::format(
      "{} {} {} x {} = {}",
      even ? plan.device_batch : all,
      even ? "x" : "on",
      devices_text(plan),
      accumulate,
      plan.global_batch);
  return plan;
}

std::vector<BatchStage> batch_stages(
    const Recipe& recipe,
    std::int64_t devices) {
  std::vector<BatchStage> stages;
  for (const std::int64_t first : stage_epochs(recipe)) {
    const BatchPlan batch = plan_batch(recipe_in_epoch(recipe, first), devices);
    if (stages.empty() ||
        stages.back().batch.global_batch != batch.global_batch) {
      if (!stages.empty()) {
        stages.back().end_epoch = first - 1;
      }
      stages.push_back({.first_epoch = first - 1, .batch = batch});
    }
    stages.back().end_epoch = recipe.run.epochs;
  }
  return stages;
}

double Plan::schedule_time(std::int64_t step) const {
  return timeline.even() ? static_cast<double>(step)
                         : timeline.time_at(step, steps_per_epoch);
}

std::int64_t Plan::step_of_time(std::int64_t time) const {
  return timeline.even()
      ? time
      : timeline.step_at(
            static_cast<double>(time) / static_cast<double>(steps_per_epoch));
}

namespace {

// Computes the lengths and times of the schedule's parts. Throws Error(kUsage)
// if they do not fit into the run.
void plan_schedule(const ScheduleConfig& schedule, Plan& plan) {
  plan.warmup_steps = time_of(schedule.warmup, plan);
  VITRAIN_CHECK(
      plan.warmup_steps <= plan.schedule_steps,
      ExitCode::kUsage,
      "schedule.warmup: {} is {} steps, more than the whole run of {} ({} "
      "steps an epoch): shorten the warm-up or train longer; for a short trial "
      "add -set schedule.warmup=0st",
      schedule.warmup.text(),
      with_commas(plan.warmup_steps),
      with_commas(plan.schedule_steps),
      with_commas(plan.steps_per_epoch));
  plan.cooldown_steps = time_of(schedule.cooldown, plan);
  VITRAIN_CHECK(
      plan.warmup_steps + plan.cooldown_steps <= plan.schedule_steps,
      ExitCode::kUsage,
      "schedule.cooldown: {} is {} steps, and the warm-up {}: more than the "
      "whole run of {} ({} steps an epoch): shorten one of them or train "
      "longer",
      schedule.cooldown.text(),
      with_commas(plan.cooldown_steps),
      with_commas(plan.warmup_steps),
      with_commas(plan.schedule_steps),
      with_commas(plan.steps_per_epoch));
  plan.timescale = schedule.timescale
      ? std::max<std::int64_t>(1, time_of(*schedule.timescale, plan))
      : plan.warmup_steps;
  VITRAIN_CHECK(
      schedule.name != ScheduleKind::kRsqrt || plan.timescale > 0,
      ExitCode::kUsage,
      "schedule.timescale: auto is as long as the warm-up, and schedule.warmup "
      "is {}: set one of them",
      schedule.warmup.text());
  plan.drop_path_cutoff = time_of(schedule.drop_path.cutoff, plan);
  plan.step_every =
      std::max<std::int64_t>(1, time_of(schedule.step_every, plan));
  for (const Duration& milestone : schedule.milestones) {
    plan.milestones.push_back(time_of(milestone, plan));
  }
  std::ranges::sort(plan.milestones);
}

// Converts the start and warm-up of gradient compression into steps.
void plan_compression(const DistConfig& dist, Plan& plan) {
  plan.powersgd_start = steps_of(dist.powersgd.start, plan);
  plan.topk_start = steps_of(dist.topk.start, plan);
  const Duration& warmup = dist.topk.warmup;
  plan.topk_warmup =
      warmup.unit == Duration::Unit::kEpochs && !plan.timeline.even()
      ? plan.timeline.step_at(
            plan.timeline.epochs_at(plan.topk_start) + warmup.value) -
          plan.topk_start
      : steps_of(warmup, plan);
}

void plan_pruning(const PruneConfig& prune, Plan& plan) {
  plan.prune_start = steps_of(prune.start, plan);
  plan.prune_end = std::max<std::int64_t>(1, steps_of(prune.end, plan));
  plan.prune_every = interval(prune.every, plan).steps;
  VITRAIN_CHECK(
      !prune.active() || interval(prune.every, plan).epochs == 0.0,
      ExitCode::kUsage,
      "train.prune.every: {} is no number of steps where stages change the "
      "batch (data.augment.stages): give steps, as in {}st",
      prune.every.text(),
      plan.prune_every);
  VITRAIN_CHECK(
      !prune.active() || plan.prune_start <= plan.prune_end,
      ExitCode::kUsage,
      "train.prune.end: {} is {} steps, before train.prune.start: {}, which is "
      "{}: let it end when it starts, or later",
      prune.end.text(),
      with_commas(plan.prune_end),
      prune.start.text(),
      with_commas(plan.prune_start));
}

// Sets the timeline, and the lengths of the run and of the schedule.
void plan_length(const RunConfig& run, const DataSize& size, Plan& plan) {
  plan.steps_per_epoch = size.steps_per_epoch;
  plan.timeline = Timeline(
      size.epochs.empty() ? std::vector{EpochSteps{0, size.steps_per_epoch}}
                          : size.epochs);
  const std::int64_t all = plan.timeline.first_step(run.epochs);
  plan.total_steps = std::min(all, run.max_steps.value_or(all));
  plan.schedule_steps = plan.timeline.even()
      ? plan.total_steps
      : std::max<std::int64_t>(
            1, std::llround(plan.schedule_time(plan.total_steps)));
}

} // namespace

Plan make_plan(
    const Recipe& recipe,
    const BatchPlan& batch,
    const DataSize& size) {
  assert(size.steps_per_epoch >= 1);
  Plan plan{batch};
  plan.eval_batch = eval_batch(recipe.data);
  plan.train_samples = size.train_samples;
  plan.eval_samples = size.eval_samples;
  plan_length(recipe.run, size, plan);
  plan_schedule(recipe.schedule, plan);
  plan.ema_start = steps_of(recipe.train.ema.start, plan);
  plan.eval_every = interval(recipe.eval.every, plan);
  plan.checkpoint_every = interval(recipe.checkpoint.every, plan);
  if (recipe.checkpoint.keep_every) {
    plan.checkpoint_keep_every = interval(*recipe.checkpoint.keep_every, plan);
  }
  if (recipe.run.stop_after) {
    plan.stop_after = interval(*recipe.run.stop_after, plan);
  }
  plan.sync_start = steps_of(recipe.dist.sync.start, plan);
  plan_compression(recipe.dist, plan);
  plan_pruning(recipe.train.prune, plan);
  if (recipe.dist.check_every) {
    plan.replicas_every = interval(*recipe.dist.check_every, plan);
  }
  scale_rates(recipe, plan);
  return plan;
}

} // namespace vitrain::config
