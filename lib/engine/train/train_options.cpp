#include "engine/train/train_options.h"

namespace vitrain::engine {

optim::Schedule schedule_of(
    const config::ScheduleConfig& schedule,
    const config::Plan& plan) {
  const std::int64_t hold =
      schedule.unit == config::ScheduleUnit::kEpoch ? plan.steps_per_epoch : 1;
  return {
      .kind = schedule.name,
      .hold_steps = hold,
      .steps_ahead = schedule.paddle_exact_schedule ? hold : 0,
      .total_steps = plan.total_steps,
      .warmup_steps = plan.warmup_steps,
      .lr = plan.lr,
      .warmup_lr = plan.warmup_lr,
      .min_lr = plan.min_lr,
      .step_every = plan.step_every,
      .milestones = plan.milestones,
      .step_factor = schedule.step_factor};
}

TrainStepOptions step_options(
    const config::Recipe& recipe,
    bool bf16,
    bool collective_forward,
    bool asked_late) {
  const config::TrainConfig& train = recipe.train;
  return {
      .loss =
          {.kind = train.loss,
           .label_smoothing = train.label_smoothing,
           .threshold = train.bce_threshold,
           .sum_classes = train.bce_sum},
      .clip_norm = recipe.optim.clip_norm.value_or(0.0),
      .bf16 = bf16,
      .collective_forward = collective_forward,
      .asked_late = asked_late};
}

optim::Share share_of(const Session& session) {
  if (!session.job.recipe.dist.zero1) {
    return {};
  }
  return {.index = session.rank, .count = session.world};
}

data::BadSampleLimits bad_sample_limits(
    const config::BadSamplesConfig& limits) {
  return {.count = limits.limit, .fraction = limits.fraction};
}

} // namespace vitrain::engine
