#include "config/rules/plan.h"

#include <algorithm>
#include <cassert>
#include <cmath>

#include <fmt/format.h>

#include "config/rules/dist_rules.h"
#include "core/check.h"
#include "core/text.h"

namespace vitrain::config {
namespace {

// Of unequal shares of replicas the largest, ceil(batch_size / replicas): the
// first ones have it, as DataParallel cuts a batch (at::chunk).
std::int64_t device_batch(const Recipe& recipe, const BatchPlan& plan) {
  const DataConfig& data = recipe.data;
  if (data.batch_mode == BatchMode::kPerDevice) {
    return data.batch_size;
  }
  const std::int64_t devices = plan.devices();
  VITRAIN_CHECK(
      shares_may_differ(recipe) || data.batch_size % devices == 0,
      ExitCode::kUsage,
      "data.batch_size: {} (batch_mode: global) cannot be divided among {} "
      "workers",
      data.batch_size,
      devices);
  return (data.batch_size + devices - 1) / devices;
}

// Of `eval_batch_size: auto` with batch_mode: global, whose batch_size is for
// all devices together.
constexpr std::int64_t kLargestAutoEvalBatch = 256;

// Steps of an interval: never zero.
std::int64_t interval(const Duration& every, const Plan& plan) {
  return std::max<std::int64_t>(
      1, every.steps(plan.steps_per_epoch, plan.total_steps));
}

// "4 workers", "2 replicas".
std::string devices_text(const BatchPlan& plan) {
  return fmt::format(
      "{} {}{}",
      plan.devices(),
      plan.replicas > 1 ? "replica" : "worker",
      plan.devices() == 1 ? "" : "s");
}

// The factor of schedule.scale, and how it comes about: " x 1024 / 512".
struct Scaling {
  double factor = 1.0;
  std::string text;
};

Scaling scaling_of(const ScaleConfig& scale, BatchMode mode, const Plan& plan) {
  if (scale.rule == ScaleRule::kNone) {
    return {};
  }
  const bool root = scale.rule == ScaleRule::kSqrt;
  // base_batch: per_device. Then each device adds its own to a batch that lr
  // was chosen for, unless the batch is that of all devices together.
  if (!scale.base_batch && mode == BatchMode::kGlobal) {
    return {};
  }
  const std::int64_t base =
      scale.base_batch.value_or(plan.device_batch * plan.accumulate);
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
  plan.device_batch = device_batch(recipe, plan);
  plan.accumulate = recipe.train.accumulate;
  const std::int64_t all = recipe.data.batch_mode == BatchMode::kGlobal
      ? recipe.data.batch_size
      : plan.device_batch * devices;
  plan.global_batch = all * plan.accumulate;
  const bool even = plan.device_batch * devices == all;
  plan.batch_text = fmt::format(
      "{} {} {} x {} = {}",
      even ? plan.device_batch : all,
      even ? "x" : "on",
      devices_text(plan),
      plan.accumulate,
      plan.global_batch);
  return plan;
}

namespace {

// The parts of the run that the schedule has, in steps.
void plan_schedule(const ScheduleConfig& schedule, Plan& plan) {
  plan.warmup_steps =
      schedule.warmup.steps(plan.steps_per_epoch, plan.total_steps);
  VITRAIN_CHECK(
      plan.warmup_steps <= plan.total_steps,
      ExitCode::kUsage,
      "schedule.warmup: {} is {} steps, more than the whole run of {} ({} "
      "steps an epoch): shorten the warm-up or train longer; for a short trial "
      "add -set schedule.warmup=0st",
      schedule.warmup.text(),
      with_commas(plan.warmup_steps),
      with_commas(plan.total_steps),
      with_commas(plan.steps_per_epoch));
  plan.cooldown_steps =
      schedule.cooldown.steps(plan.steps_per_epoch, plan.total_steps);
  VITRAIN_CHECK(
      plan.warmup_steps + plan.cooldown_steps <= plan.total_steps,
      ExitCode::kUsage,
      "schedule.cooldown: {} is {} steps, and the warm-up {}: more than the "
      "whole run of {} ({} steps an epoch): shorten one of them or train "
      "longer",
      schedule.cooldown.text(),
      with_commas(plan.cooldown_steps),
      with_commas(plan.warmup_steps),
      with_commas(plan.total_steps),
      with_commas(plan.steps_per_epoch));
  plan.timescale = schedule.timescale ? interval(*schedule.timescale, plan)
                                      : plan.warmup_steps;
  VITRAIN_CHECK(
      schedule.name != ScheduleKind::kRsqrt || plan.timescale > 0,
      ExitCode::kUsage,
      "schedule.timescale: auto is as long as the warm-up, and schedule.warmup "
      "is {}: set one of them",
      schedule.warmup.text());
}

// Of gradients that are compressed.
void plan_compression(const DistConfig& dist, Plan& plan) {
  const auto steps = [&plan](const Duration& duration) {
    return duration.steps(plan.steps_per_epoch, plan.total_steps);
  };
  plan.powersgd_start = steps(dist.powersgd.start);
  plan.topk_start = steps(dist.topk.start);
  plan.topk_warmup = steps(dist.topk.warmup);
}

void plan_pruning(const PruneConfig& prune, Plan& plan) {
  plan.prune_start = prune.start.steps(plan.steps_per_epoch, plan.total_steps);
  plan.prune_end = interval(prune.end, plan);
  plan.prune_every = interval(prune.every, plan);
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
  plan.steps_per_epoch = size.steps_per_epoch;
  plan.total_steps = std::min(
      plan.steps_per_epoch * recipe.run.epochs,
      recipe.run.max_steps.value_or(plan.steps_per_epoch * recipe.run.epochs));
  plan_schedule(recipe.schedule, plan);
  plan.ema_start =
      recipe.train.ema.start.steps(plan.steps_per_epoch, plan.total_steps);
  plan.drop_path_cutoff = recipe.schedule.drop_path.cutoff.steps(
      plan.steps_per_epoch, plan.total_steps);
  plan.step_every = interval(recipe.schedule.step_every, plan);
  for (const Duration& milestone : recipe.schedule.milestones) {
    plan.milestones.push_back(
        milestone.steps(plan.steps_per_epoch, plan.total_steps));
  }
  std::ranges::sort(plan.milestones);
  plan.eval_every = interval(recipe.eval.every, plan);
  plan.checkpoint_every = interval(recipe.checkpoint.every, plan);
  plan.stop_after =
      recipe.run.stop_after ? interval(*recipe.run.stop_after, plan) : 0;
  plan.sync_start =
      recipe.dist.sync.start.steps(plan.steps_per_epoch, plan.total_steps);
  plan_compression(recipe.dist, plan);
  plan_pruning(recipe.train.prune, plan);
  plan.replicas_every =
      recipe.dist.check_every ? interval(*recipe.dist.check_every, plan) : 0;
  scale_rates(recipe, plan);
  return plan;
}

} // namespace vitrain::config
