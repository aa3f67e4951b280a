#include "engine/step/train_options.h"

#include <algorithm>
#include <numeric>

#include <ATen/ATen.h>

#include "core/check.h"
#include "data/sources/index.h"
#include "engine/device/autocast.h"
#include "job/data_options.h"
#include "job/run/job.h"
#include "models/families/family.h"
#include "networks/model.h"

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
      .total_steps = plan.schedule_steps,
      .warmup_steps = plan.warmup_steps,
      .cooldown_steps = plan.cooldown_steps,
      .cooldown_shape = schedule.cooldown_shape,
      .lr = plan.lr,
      .warmup_lr = plan.warmup_lr,
      .min_lr = plan.min_lr,
      .warmup_prefix = schedule.warmup_prefix,
      .cycles = schedule.cycles,
      .cycle_mul = schedule.cycle_mul,
      .cycle_decay = schedule.cycle_decay,
      .k_decay = schedule.k_decay,
      .power = schedule.power,
      .step_every = plan.step_every,
      .milestones = plan.milestones,
      .step_factor = schedule.step_factor,
      .timescale = plan.timescale};
}

std::vector<double> balanced_class_weights(const std::vector<double>& counts) {
  const double samples = std::accumulate(counts.begin(), counts.end(), 0.0);
  const auto classes =
      static_cast<double>(std::ssize(counts) - std::ranges::count(counts, 0.0));
  std::vector<double> weights;
  for (const double count : counts) {
    weights.push_back(count > 0.0 ? samples / (classes * count) : 0.0);
  }
  return weights;
}

bool weighs_terms(const config::Recipe& recipe) {
  return recipe.train.class_weighting == config::ClassWeighting::kTerms ||
      recipe.data.train.multi_label;
}

at::Tensor class_weights(const Session& session) {
  const config::TrainConfig& train = session.job.recipe.train;
  const std::int64_t classes = session.spec.num_classes;
  if (train.class_balance == config::ClassBalance::kInverse) {
    const data::Index& index = *session.train_index;
    std::vector<double> counts(static_cast<std::size_t>(classes), 0.0);
    for (std::int64_t i = 0; i < index.size(); ++i) {
      counts.at(static_cast<std::size_t>(index.label(i))) += 1.0;
    }
    return at::tensor(
               balanced_class_weights(counts), at::TensorOptions(at::kDouble))
        .to(session.device, at::kFloat);
  }
  if (train.class_weights.empty()) {
    return {};
  }
  return at::tensor(train.class_weights, at::TensorOptions(at::kDouble))
      .to(session.device, at::kFloat);
}

optim::EmaOptions ema_options(
    const config::EmaConfig& ema,
    const config::Plan& plan) {
  optim::EmaOptions options{
      .decay = ema.decay.value_or(0.0),
      .equal = ema.equal,
      .warm_up = ema.warm_up,
      .gamma = ema.warm_up_gamma,
      .power = ema.warm_up_power,
      .start = plan.ema_start,
      .every = ema.every,
      .average_buffers = ema.average_buffers};
  if (ema.count == config::EmaCount::kEpoch) {
    options.due = [ema, timeline = plan.timeline](std::int64_t step) {
      return config::updates_average(ema, timeline, step);
    };
  }
  return options;
}

std::unique_ptr<optim::Pruner> make_pruner(
    const Session& session,
    const optim::FlatState& parameters) {
  const config::PruneConfig& prune = session.job.recipe.train.prune;
  if (!prune.active()) {
    return nullptr;
  }
  return std::make_unique<optim::Pruner>(
      parameters,
      optim::PruneOptions{
          .amount = prune.amount,
          .global = prune.scope == config::PruneScope::kGlobal,
          .rows = prune.unit == config::PruneUnit::kRow,
          .match = prune.match,
          .start = session.plan.prune_start,
          .end = session.plan.prune_end,
          .every = session.plan.prune_every});
}

std::unique_ptr<optim::Ema> make_ema(
    const Session& session,
    const optim::FlatState& parameters) {
  const config::EmaConfig& ema = session.job.recipe.train.ema;
  return ema.active()
      ? std::make_unique<optim::Ema>(
            *session.model, parameters, ema_options(ema, session.plan))
      : nullptr;
}

data::TransformOptions train_transform(
    const config::Recipe& recipe,
    const models::ModelSpec& spec) {
  data::TransformOptions options =
      job::transform_options(recipe, spec, /*train=*/true);
  options.splits = recipe.train.splits();
  return options;
}

namespace {

// Returns the loss scaling for fp16, in which unscaled gradients would
// underflow; nullopt for other precisions.
std::optional<LossScaling> loss_scaling(const Session& session) {
  if (session.precision.precision != config::Precision::kFp16) {
    return std::nullopt;
  }
  const config::TrainConfig& train = session.job.recipe.train;
  return LossScaling{
      .initial = train.loss_scale, .interval = train.loss_scale_interval};
}

} // namespace

TrainStepOptions step_options(
    const Session& session,
    bool collective_forward,
    networks::Model* teacher,
    optim::Ema* ema,
    const optim::Pruner* pruner,
    std::function<bool(double)> is_spike) {
  const config::Recipe& recipe = session.job.recipe;
  const config::TrainConfig& train = recipe.train;
  const bool skip_non_finite =
      train.on_non_finite != config::OnNonFinite::kStop ||
      train.on_spike.goes_on();
  return {
      .loss =
          {.kind = train.loss,
           .label_smoothing = train.label_smoothing,
           .threshold = train.bce_threshold,
           .sum_classes = train.bce_sum,
           .pos_weight = train.bce_pos_weight,
           .focal_alpha = train.focal_alpha,
           .focal_gamma = train.focal_gamma,
           .gamma_absent = train.asymmetric_gamma_absent,
           .gamma_present = train.asymmetric_gamma_present,
           .clip = train.asymmetric_clip,
           .poly1_epsilon = train.poly1_epsilon,
           .huber_delta = train.huber_delta,
           .class_weights =
               weighs_terms(recipe) ? class_weights(session) : at::Tensor(),
           .splits = train.splits(),
           .divergence = train.jsd_alpha},
      .distill =
          {.kind = train.distill.type,
           .alpha = train.distill.alpha,
           .temperature = train.distill.temperature,
           .heads_apart = session.spec.heads_apart},
      .teacher = teacher,
      .ema = ema,
      .pruner = pruner,
      .clipping =
          {.agc = recipe.optim.clip_agc.value_or(0.0),
           .value = recipe.optim.clip_value.value_or(0.0),
           .norm = recipe.optim.clip_norm.value_or(0.0),
           .agc_exempt = session.spec.family->classifier},
      .sam = recipe.optim.sam.value_or(0.0),
      .products = product_type(session.precision.precision),
      .narrow_weights = session.cuda != nullptr &&
          product_type(session.precision.precision).has_value(),
      .fold_clipping = session.cuda != nullptr,
      .loss_scaling = loss_scaling(session),
      .recompute = config::recompute_every(train.recompute),
      .collective_forward = collective_forward,
      .defer_norm_check = session.cuda != nullptr && !skip_non_finite &&
          !train.on_spike.active(),
      .skip_non_finite = skip_non_finite,
      .is_spike = std::move(is_spike)};
}

void check_recompute(std::int64_t every, std::int64_t blocks) {
  VITRAIN_CHECK(
      every == 0 || blocks > 0,
      ExitCode::kUsage,
      "train.recompute: this network has no blocks that can be computed again; "
      "those of vision transformers (vit, beit, cait, pit, crossvit, swin, "
      "hvt, pvt_v2, volo, mae), convnext, poolformer and mixer can: set it to "
      "none");
  VITRAIN_CHECK(
      every <= blocks,
      ExitCode::kUsage,
      "train.recompute: one of {} blocks is computed again, and of this "
      "network's {} can be: set a number up to {}, blocks (all of them) or "
      "none",
      every,
      blocks,
      blocks);
}

optim::Share share_of(const Session& session) {
  if (!session.job.recipe.dist.zero1) {
    return {};
  }
  const config::OptimConfig& optim = session.job.recipe.optim;
  return {
      .index = session.rank,
      .count = session.world,
      .whole_parameters = optim.row().whole_parameters || optim.cautious};
}

data::BadSampleLimits bad_sample_limits(
    const config::BadSamplesConfig& limits) {
  return {.count = limits.limit, .fraction = limits.fraction};
}

} // namespace vitrain::engine
