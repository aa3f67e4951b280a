#include "engine/step/train_step.h"

#include <cmath>

#include <ATen/ATen.h>

#include "engine/device/autocast.h"
#include "engine/device/out_of_memory.h"
#include "engine/step/metrics.h"
#include "engine/step/train_options.h"
#include "job/precision.h"
#include "networks/layers/batch_count.h"
#include "networks/layers/recompute.h"

namespace vitrain::engine {

TrainStep::TrainStep(
    networks::Model& model,
    optim::FlatState& parameters,
    optim::Optimizer& optimizer,
    dist::GradientSync& sync,
    const TrainStepOptions& options)
    : model_(model),
      parameters_(parameters),
      optimizer_(optimizer),
      sync_(sync),
      options_(options) {
  const auto device =
      at::TensorOptions(parameters.groups().front().parameters.device());
  if (options.loss_scaling) {
    scaler_.emplace(*options.loss_scaling, device.device());
  }
  if (options.narrow_weights) {
    for (const optim::FlatGroup& group : parameters.groups()) {
      narrow_.push_back(
          {group.parameters, group.parameters.to(options.products.value())});
    }
  }
  gradient_norm_ = at::zeros({}, device.dtype(at::kFloat));
  bad_steps_ = at::zeros({}, device.dtype(at::kFloat));
  loss_sum_ = at::zeros({}, device.dtype(at::kDouble));
  correct_ = at::zeros({2}, device.dtype(at::kLong));
  places_ = at::tensor({1, 5}, at::kLong).unsqueeze(1).to(device.device());
}

void TrainStep::begin(const dist::StepInfo& step) {
  parameters_.check_values();
  step_ = step.step;
  inverse_samples_ = 1.0 / static_cast<double>(sync_.begin_step(step));
  parameters_.zero_gradients();
  spike_ = false;
  if (options_.is_spike) {
    step_loss_ = at::zeros_like(loss_sum_);
  }
  if (options_.skip_non_finite) {
    snapshot();
  }
}

void TrainStep::snapshot() {
  const at::NoGradGuard no_grad;
  kept_statistics_.clear();
  for (const at::Tensor& buffer : model_.buffers()) {
    kept_statistics_.push_back(buffer.clone());
  }
  kept_loss_ = loss_sum_.clone();
  kept_correct_ = correct_.clone();
  kept_count_ = count_;
}

void TrainStep::restore() {
  std::size_t i = 0;
  for (at::Tensor buffer : model_.buffers()) {
    buffer.copy_(kept_statistics_[i++]);
  }
  loss_sum_.copy_(kept_loss_);
  correct_.copy_(kept_correct_);
  count_ = kept_count_;
}

void TrainStep::micro_batch(const MicroBatch& batch, bool last) {
  add_micro_batch(batch, last);
  sync_.end_micro_batch();
}

void TrainStep::add_micro_batch(const MicroBatch& batch, bool last) {
  const std::int64_t rows = batch.targets.size(0);
  const bool runs = rows > 0 || options_.collective_forward;
  const bool climbs = runs && options_.sam > 0.0;
  Pass first;
  if (climbs) {
    first = sam_ascend(batch);
  }
  sync_.begin_micro_batch(last, /*empty=*/!runs);
  if (!runs) {
    return;
  }
  const Pass second = run(batch);
  if (climbs) {
    sam_restore();
  }
  if (rows == 0) {
    return;
  }

  const at::NoGradGuard no_grad;
  const Pass& seen = climbs ? first : second;
  loss_sum_.add_(seen.loss.detach());
  if (step_loss_.defined()) {
    step_loss_.add_(seen.loss.detach());
  }
  if (config::has_classes(options_.loss.kind)) {
    const at::Tensor ranks =
        label_ranks(seen.outputs.detach().narrow(0, 0, rows), batch.targets);
    correct_.add_(ranks.unsqueeze(0).lt(places_).sum(1));
  }
  count_ += rows;
}

TrainStep::Pass TrainStep::run(const MicroBatch& batch) {
  Pass pass;
  for (const networks::NarrowCopy& copy : narrow_) {
    copy.narrow.copy_(copy.wide);
  }
  {
    const AutocastScope autocast(
        batch.inputs.device().type(), options_.products);
    const networks::RecomputeScope recompute(options_.recompute);
    const networks::NarrowScope narrow(&narrow_);
    networks::BatchCountScope batches;
    pass.outputs = with_oom_context("forward", [&] {
      return model_.forward(batch.inputs, batch.drop, batch.dropout);
    });
    batches.count();
    check_recompute(options_.recompute, networks::recomputable_blocks());
  }
  const DistillOutputs answers =
      split_heads(options_.distill, pass.outputs.to(at::kFloat));
  pass.outputs = answers.mean;
  pass.loss = losses(batch, answers);
  // Divides by the number of samples of the whole step, so that the sum over
  // micro-batches and ranks is the mean over all samples, whatever the sizes.
  const at::Tensor mean = pass.loss * inverse_samples_;
  with_oom_context(
      "backward", [&] { (scaler_ ? scaler_->scaled(mean) : mean).backward(); });
  return pass;
}

TrainStep::Pass TrainStep::sam_ascend(const MicroBatch& batch) {
  std::vector<optim::FlatGroup>& groups = parameters_.groups();
  std::vector<at::Tensor> gradients; // gradients of earlier micro-batches
  for (optim::FlatGroup& group : groups) {
    gradients.push_back(group.gradients.clone());
  }
  parameters_.zero_gradients();
  // Both passes must use the same dropout masks.
  at::Generator dropout = batch.dropout;
  const at::Tensor drawn =
      dropout.defined() ? dropout.get_state() : at::Tensor();
  sync_.begin_micro_batch(/*last=*/false, /*empty=*/false);
  const Pass pass = run(batch);
  if (dropout.defined()) {
    dropout.set_state(drawn);
  }

  const at::NoGradGuard no_grad;
  statistics_.clear();
  for (const at::Tensor& buffer : model_.buffers()) {
    statistics_.push_back(buffer.clone());
  }
  zero_idle_gradients();
  // Gradients and norm are scaled alike by the loss scale, which cancels out.
  constexpr double kLeastNorm = 1e-12;
  at::Tensor norm = optim::clip_gradients(parameters_, {});
  norm = scaler_ ? norm + scaler_->scale() * kLeastNorm : norm + kLeastNorm;
  weights_.clear();
  for (std::size_t i = 0; i < groups.size(); ++i) {
    weights_.push_back(groups[i].parameters.clone());
    groups[i].parameters.addcdiv_(groups[i].gradients, norm, options_.sam);
    groups[i].gradients.copy_(gradients[i]);
  }
  return pass;
}

void TrainStep::sam_restore() {
  const at::NoGradGuard no_grad;
  for (std::size_t i = 0; i < weights_.size(); ++i) {
    parameters_.groups()[i].parameters.copy_(weights_[i]);
  }
  std::size_t i = 0;
  for (at::Tensor buffer : model_.buffers()) {
    buffer.copy_(statistics_[i++]);
  }
}

at::Tensor TrainStep::losses(
    const MicroBatch& batch,
    const DistillOutputs& answers) {
  const at::Tensor own = loss_sum(
      options_.loss,
      answers.labels,
      batch.targets,
      batch.shares,
      batch.weights);
  if (options_.teacher == nullptr || answers.taught.size(0) == 0) {
    return own;
  }
  at::Tensor taught;
  {
    const at::NoGradGuard no_grad;
    const AutocastScope autocast(
        batch.inputs.device().type(), options_.products);
    taught = with_oom_context("the teacher's forward", [&] {
      return options_.teacher->forward(batch.inputs, /*drop=*/{});
    });
  }
  const double alpha = options_.distill.alpha;
  return own * (1.0 - alpha) +
      distillation_sum(
          options_.distill,
          answers.taught,
          taught.to(at::kFloat),
          batch.weights) *
      alpha;
}

void TrainStep::finish(double lr) {
  const at::NoGradGuard no_grad;
  if (with_oom_context(
          "the exchange of gradients", [&] { return sync_.finish(); })) {
    spike_ = options_.is_spike &&
        options_.is_spike(step_loss_.item<double>() * inverse_samples_);
    with_oom_context("the optimizer", [&] {
      update_and_count(sync_.one_step_late() ? previous_lr_ : lr);
    });
  }
  sync_.updated();
  clear_pruned();
  if (options_.skip_non_finite && (spike_ || !std::isfinite(gradient_norm()))) {
    restore();
  } else if (options_.ema != nullptr) {
    options_.ema->update(step_ + 1);
  }
  sync_.predict([&] { update(lr); });
  previous_lr_ = lr;
}

void TrainStep::flush(double lr) {
  parameters_.check_model(model_);
  const at::NoGradGuard no_grad;
  sync_.flush([&] { update_and_count(lr); });
  clear_pruned();
}

void TrainStep::zero_idle_gradients() {
  parameters_.zero_waiting_gradients();
  if (options_.pruner != nullptr) {
    options_.pruner->clear_gradients();
  }
}

void TrainStep::clear_pruned() {
  if (options_.pruner != nullptr) {
    options_.pruner->clear_weights();
  }
}

at::Tensor TrainStep::update(double lr) {
  zero_idle_gradients();
  if (scaler_) {
    scaler_->unscale(parameters_);
  }
  optim::Clipping clipping = options_.clipping;
  const bool folds = options_.fold_clipping && clipping.norm > 0.0 &&
      clipping.agc == 0.0 && clipping.value == 0.0 &&
      optimizer_.divides_gradients() && sync_.updates_alone();
  if (folds) {
    clipping.norm = 0.0;
  }
  at::Tensor norm = optim::clip_gradients(parameters_, clipping);
  const at::Tensor divisor = folds
      ? at::clamp_min((norm + 1e-6) / options_.clipping.norm, 1.0)
      : at::Tensor();
  if (options_.defer_norm_check && !scaler_) {
    norm = at::where(bad_steps_.gt(0), gradient_norm_, norm);
  }
  // x - x is 0 if x is finite, otherwise NaN: half as many kernels as
  // isfinite().
  non_finite_ = norm.sub(norm).ne(0).to(at::kFloat);
  if (spike_) {
    non_finite_.fill_(1.0);
  }
  sync_.apply(
      {lr, non_finite_}, [&] { optimizer_.step(lr, non_finite_, divisor); });
  return norm;
}

void TrainStep::update_and_count(double lr) {
  const at::Tensor norm = update(lr);
  has_gradient_norm_ = true;
  if (scaler_) {
    gradient_norm_ = at::where(non_finite_.gt(0), gradient_norm_, norm);
    scaler_->update(non_finite_);
    bad_steps_.add_(
        bad_steps_.gt(0).logical_or(scaler_->scale().lt(LossScaler::kLeast)));
    return;
  }
  gradient_norm_ = norm;
  if (options_.defer_norm_check) {
    bad_steps_.add_(non_finite_);
  }
}

double TrainStep::gradient_norm() const {
  return gradient_norm_.item<double>();
}

std::optional<double> TrainStep::last_gradient_norm() const {
  return has_gradient_norm_ ? std::optional(gradient_norm()) : std::nullopt;
}

void TrainStep::set_gradient_norm(double norm) {
  const at::NoGradGuard no_grad;
  gradient_norm_.fill_(norm);
  has_gradient_norm_ = true;
}

std::int64_t TrainStep::steps_since_bad() const {
  return static_cast<std::int64_t>(bad_steps_.item<float>());
}

std::optional<double> TrainStep::loss_scale() const {
  return scaler_ ? std::optional(scaler_->scale().item<double>())
                 : std::nullopt;
}

std::map<std::string, at::Tensor> TrainStep::state() const {
  return scaler_ ? scaler_->state() : std::map<std::string, at::Tensor>();
}

TrainSums TrainStep::sums() const {
  const at::NoGradGuard no_grad;
  const at::Tensor correct = correct_.cpu();
  return {
      .loss = loss_sum_.item<double>(),
      .correct1 = correct[0].item<std::int64_t>(),
      .correct5 = correct[1].item<std::int64_t>(),
      .count = count_};
}

TrainSums TrainStep::take_sums() {
  const TrainSums sums = this->sums();
  set_sums({});
  return sums;
}

void TrainStep::set_sums(const TrainSums& sums) {
  const at::NoGradGuard no_grad;
  loss_sum_.fill_(sums.loss);
  correct_[0].fill_(sums.correct1);
  correct_[1].fill_(sums.correct5);
  count_ = sums.count;
}

} // namespace vitrain::engine
