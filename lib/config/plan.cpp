#include "config/plan.h"

#include <algorithm>
#include <cassert>
#include <cmath>

#include <fmt/format.h>

#include "core/check.h"
#include "core/text.h"

namespace vitrain::config {
namespace {

std::int64_t device_batch(const DataConfig& data, std::int64_t workers) {
  if (data.batch_mode == BatchMode::kPerDevice) {
    return data.batch_size;
  }
  VITRAIN_CHECK(
      data.batch_size % workers == 0,
      ExitCode::kUsage,
      "data.batch_size: {} (batch_mode: global) cannot be divided among {} "
      "workers",
      data.batch_size,
      workers);
  return data.batch_size / workers;
}

// Of `eval_batch_size: auto` with batch_mode: global, whose batch_size is for
// all devices together.
constexpr std::int64_t kLargestAutoEvalBatch = 256;

std::int64_t steps_per_epoch(const Plan& plan, LastBatch last_batch) {
  const std::int64_t samples = plan.train_samples;
  const std::int64_t batch = plan.global_batch;
  VITRAIN_CHECK(
      samples > 0, ExitCode::kUsage, "data.train: there is no training sample");
  if (last_batch != LastBatch::kDrop) {
    return (samples + batch - 1) / batch;
  }
  VITRAIN_CHECK(
      samples >= batch,
      ExitCode::kUsage,
      "data.batch_size: the {} training samples do not fill one global batch "
      "({}), so that an epoch has no step: make it smaller, or set "
      "data.sampler.last_batch to keep or pad",
      with_commas(samples),
      plan.batch_text);
  return samples / batch;
}

// Steps of an interval: never zero.
std::int64_t interval(const Duration& every, const Plan& plan) {
  return std::max<std::int64_t>(
      1, every.steps(plan.steps_per_epoch, plan.total_steps));
}

bool is_scaled(const ScaleConfig& scale, const char* what) {
  return scale.rule != ScaleRule::kNone &&
      std::ranges::find(scale.apply_to, what) != scale.apply_to.end();
}

// `value`, named `what` in apply_to, for global batch `batch`.
double scaled(
    const ScaleConfig& scale,
    const char* what,
    double value,
    std::int64_t batch) {
  if (!is_scaled(scale, what)) {
    return value;
  }
  const auto numerator = static_cast<double>(batch);
  const auto denominator = static_cast<double>(scale.base_batch);
  return scale.rule == ScaleRule::kLinear
      ? value * numerator / denominator
      : value * std::sqrt(numerator / denominator);
}

std::string lr_text(const Recipe& recipe, const Plan& plan) {
  const ScaleConfig& scale = recipe.schedule.scale;
  if (!is_scaled(scale, "lr")) {
    return fmt::format("{:.6g} (not scaled)", plan.lr);
  }
  const bool root = scale.rule == ScaleRule::kSqrt;
  return fmt::format(
      "{:.6g} x {}{} / {}{} = {:.6g}",
      recipe.optim.lr,
      root ? "sqrt(" : "",
      plan.global_batch,
      scale.base_batch,
      root ? ")" : "",
      plan.lr);
}

} // namespace

std::int64_t eval_batch(const DataConfig& data) {
  const std::int64_t automatic = data.batch_mode == BatchMode::kPerDevice
      ? data.batch_size
      : std::min(data.batch_size, kLargestAutoEvalBatch);
  return data.eval_batch_size.value_or(automatic);
}

Plan make_plan(
    const Recipe& recipe,
    std::int64_t workers,
    std::int64_t train_samples,
    std::int64_t eval_samples) {
  assert(workers >= 1);
  Plan plan;
  plan.workers = workers;
  plan.device_batch = device_batch(recipe.data, workers);
  plan.accumulate = recipe.train.accumulate;
  plan.global_batch = plan.device_batch * workers * plan.accumulate;
  plan.eval_batch = eval_batch(recipe.data);
  plan.train_samples = train_samples;
  plan.eval_samples = eval_samples;
  plan.batch_text = fmt::format(
      "{} x {} worker{} x {} = {}",
      plan.device_batch,
      workers,
      workers == 1 ? "" : "s",
      plan.accumulate,
      plan.global_batch);

  plan.steps_per_epoch = steps_per_epoch(plan, recipe.data.sampler.last_batch);
  plan.total_steps = std::min(
      plan.steps_per_epoch * recipe.run.epochs,
      recipe.run.max_steps.value_or(plan.steps_per_epoch * recipe.run.epochs));
  const ScheduleConfig& schedule = recipe.schedule;
  plan.warmup_steps =
      schedule.warmup.steps(plan.steps_per_epoch, plan.total_steps);
  VITRAIN_CHECK(
      plan.warmup_steps <= plan.total_steps,
      ExitCode::kUsage,
      "schedule.warmup: {} is {} steps, more than the whole run of {} ({} "
      "steps "
      "an epoch): shorten the warm-up or train longer",
      schedule.warmup.text(),
      with_commas(plan.warmup_steps),
      with_commas(plan.total_steps),
      with_commas(plan.steps_per_epoch));
  plan.step_every = interval(schedule.step_every, plan);
  plan.eval_every = interval(recipe.eval.every, plan);
  plan.checkpoint_every = interval(recipe.checkpoint.every, plan);

  const auto scale = [&](const char* what, double value) {
    return scaled(schedule.scale, what, value, plan.global_batch);
  };
  plan.lr = scale("lr", recipe.optim.lr);
  plan.warmup_lr = scale("warmup_lr", schedule.warmup_lr);
  plan.min_lr = scale("min_lr", schedule.min_lr);
  plan.lr_text = lr_text(recipe, plan);
  return plan;
}

} // namespace vitrain::config
