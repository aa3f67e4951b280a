#include "engine/train/trainer.h"

#include <algorithm>

#include <ATen/ATen.h>

#include "config/rules/stages.h"
#include "core/check.h"
#include "core/enum_names.h"
#include "core/text.h"
#include "data/load/samplers.h"
#include "data/sources/index.h"
#include "dist/group/collectives.h"
#include "dist/group/connect.h"
#include "engine/device/autocast.h"
#include "engine/device/out_of_memory.h"
#include "engine/inputs/train_inputs.h"
#include "engine/state/named_state.h"
#include "engine/state/teacher.h"
#include "engine/step/data_parallel.h"
#include "engine/step/gradient_exchange.h"
#include "engine/step/parameter_groups.h"
#include "engine/step/reports.h"
#include "engine/step/train_options.h"
#include "engine/train/divergence.h"
#include "engine/train/loss_spikes.h"
#include "engine/train/sample_sheet.h"
#include "engine/train/stragglers.h"
#include "job/data_options.h"
#include "job/run/job.h"
#include "job/run/run_directory.h"
#include "launch/processes/heartbeat.h"
#include "launch/processes/signals.h"
#include "logging/console.h"
#include "networks/model.h"
#include "networks/tensors.h"
#include "optim/rules/optimizers.h"
#include "optim/strengths.h"

namespace vitrain::engine {
namespace {

void warn_of_idle_batch_norm(const Session& session, std::int64_t layers) {
  const config::BatchNormStatistics statistics =
      session.job.recipe.dist.batchnorm;
  // Only kSync: translated recipes set the other values for any network.
  if (session.rank == 0 && layers == 0 &&
      statistics == config::BatchNormStatistics::kSync) {
    session.observer.console().warn(fmt::format(
        "dist.batchnorm: {} has no effect: {} has no BatchNorm layers{}",
        name_of(statistics),
        session.spec.name,
        networks::has_batch_norm(session.spec) ? " that are trained" : ""));
  }
}

// Sets the dtype of matrix products; adds the model's buffers to Lookahead.
void prepare_optimizer(const Session& session, optim::Optimizer& optimizer) {
  if (const auto type = product_type(session.precision.precision)) {
    optimizer.multiply_in(*type);
  }
  if (!session.job.recipe.optim.lookahead.buffers) {
    return;
  }
  std::map<std::string, at::Tensor> buffers;
  for (const auto& item : session.model->named_buffers()) {
    buffers[item.key()] = item.value();
  }
  optimizer.look_ahead_with(buffers);
}

} // namespace

Trainer::Trainer(Session& session)
    : session_(session),
      recipe_(session.job.recipe),
      plan_(session.plan),
      schedule_(schedule_of(recipe_.schedule, plan_)),
      batch_norm_(
          *session.model,
          *session.groups.data,
          recipe_.dist.batchnorm,
          recipe_.run.elastic()),
      parameters_(
          *session.model,
          parameter_grouping(
              recipe_.optim,
              session.spec,
              parameter_names(*session.model)),
          share_of(session)),
      optimizer_(make_recipe_optimizer(recipe_, parameters_)),
      pruner_(make_pruner(session, parameters_)),
      sync_(make_gradient_sync(
          session,
          parameters_,
          *optimizer_,
          pruner_.get(),
          &batch_norm_)),
      replicas_(make_data_parallel(session, parameters_)),
      teacher_(make_teacher(session)),
      ema_(make_ema(session, parameters_)),
      step_(make_step()),
      samplers_(*session.samplers),
      bad_samples_(
          session.train_index,
          bad_sample_limits(recipe_.data.bad_samples)),
      evaluator_(make_evaluator(
          session,
          [this] { return early_end() != EarlyEnd::kNone; })),
      writer_(session),
      identity_(job::identity_of(
          session.job,
          plan_,
          session.spec,
          *session.train_index)),
      stragglers_(std::make_unique<Stragglers>()),
      spikes_(std::make_unique<LossSpikes>(recipe_.train.on_spike)),
      trace_(make_step_trace(session)),
      batch_files_(session) {
  warn_of_idle_batch_norm(session, batch_norm_.layers());
  prepare_optimizer(session, *optimizer_);
  state_.judge_by(job::judged_by(recipe_));
  restore();
  open_stage(); // decodes while weights are broadcast
  dist::broadcast_state(
      *session_.groups.control,
      *session_.groups.data,
      named_state(*session_.model));
  if (ema_ && !averages_restored_) {
    ema_->reset(); // from the weights just loaded
  }
}

Trainer::~Trainer() = default;

std::unique_ptr<TrainStep> Trainer::make_step() {
  return std::make_unique<TrainStep>(
      replicas_ ? *replicas_ : *session_.model,
      parameters_,
      *optimizer_,
      *sync_,
      step_options(
          session_,
          batch_norm_.forward_is_collective(),
          teacher_.get(),
          ema_.get(),
          pruner_.get(),
          recipe_.train.on_spike.active()
              ? [this](double loss) { return is_spike(loss); }
              : std::function<bool(double)>()));
}

void Trainer::open_stage() {
  if (loader_) {
    if (const auto sent = inputs_->sent()) {
      sent(); // waits for uploads from memory that the loader frees
    }
    interval_.end_loader(*loader_);
    loader_.reset();
  }
  const std::int64_t epoch = plan_.epoch_of(state_.step) + 1;
  stage_ = std::make_unique<const config::Recipe>(
      config::recipe_in_epoch(recipe_, epoch));
  batch_ = config::plan_batch(*stage_, plan_.devices());
  stage_end_ = plan_.total_steps;
  for (const std::int64_t next : config::stage_epochs(recipe_)) {
    if (next > epoch) {
      stage_end_ = std::min(stage_end_, plan_.timeline.first_step(next - 1));
    }
  }
  rows_ = data::open_rows(
      session_.train_index, train_transform(*stage_, session_.spec));
  inputs_ = std::make_unique<TrainInputs>(session_, *stage_, batch_);
  open_loader();
}

void Trainer::open_loader() {
  const std::int64_t accumulate = plan_.accumulate;
  const std::int64_t first = state_.step * accumulate;
  const std::int64_t end = stage_end_ * accumulate;
  loader_ = std::make_unique<data::Loader>(
      *rows_,
      [this, accumulate, first, end](
          std::int64_t sequence, std::vector<data::Draw>& draws) {
        const std::int64_t index = first + sequence;
        if (index >= end) {
          return false;
        }
        const std::int64_t step = index / accumulate;
        const std::int64_t epoch = plan_.epoch_of(step);
        draws = samplers_.of_epoch(epoch).micro_batch(
            epoch,
            plan_.timeline.step_in_epoch(step),
            session_.rank * accumulate + index % accumulate);
        return true;
      },
      data::LoaderOptions{
          .threads = session_.loader_threads(),
          .depth = 3,
          .capacity = batch_.worker_batch(),
          .bad_samples = job::bad_sample_policy(recipe_, /*train=*/true),
          .allocate = session_.slot_allocator(),
          .tail = inputs_->tail_bytes()});
}

ExitCode Trainer::run() {
  if (session_.rank == 0) {
    bad_samples_.write_to(session_.job.run().bad_samples(), state_.step);
    check_storage();
  }
  session_.heartbeat.enter(launch::RunPhase::kStep);
  launch::stop_at_once(false); // last: the supervisor relies on the phase
  interval_.restart_clock();
  save_watch_.restart();
  StopVotes votes(*session_.groups.control, sync_->lead());
  const std::int64_t first = state_.step;
  if (owes_evaluation_) {
    evaluate();
    if (!owes_evaluation_) {
      writer_.set_saved_step(-1); // forces a save, with the evaluation's result
      save();
    }
  }
  while (asked_ == EarlyEnd::kNone && state_.step < plan_.total_steps &&
         !patience_is_over()) {
    votes.begin(vote());
    train_one_step();
    check_finite();
    sync_statistics_at_epoch_end();
    if (line_due()) {
      report_interval();
    }
    if (due(plan_.replicas_every)) {
      check_replicas();
    }
    if (due(plan_.eval_every) || state_.step == plan_.total_steps) {
      evaluate();
    }
    if (due(plan_.checkpoint_every) || state_.step == plan_.total_steps) {
      save();
    }
    session_.observer.epoch_ended(state_.step, rate_of(state_.step - 1));
    follow(votes.agreed());
    if (plan_.stop_after.over(plan_.timeline, first, state_.step)) {
      asked_ = std::max(asked_, EarlyEnd::kRequested);
    }
  }
  votes.finish();
  trace_.finish();
  if (asked_ == EarlyEnd::kNone && state_.step < plan_.total_steps) {
    end_early();
    return ExitCode::kDone;
  }
  if (asked_ == EarlyEnd::kNone ||
      (state_.step == plan_.total_steps && !owes_evaluation_)) {
    return ExitCode::kDone;
  }
  stopping_ = true;
  keep_samples(/*wait=*/true);
  save(); // does nothing if this step is already saved
  remove_stop_file();
  return asked_ == EarlyEnd::kFailed ? ExitCode::kWorkerDied
                                     : ExitCode::kStopped;
}

double Trainer::rate_of(std::int64_t step) const {
  return optim::learning_rate(schedule_, plan_.schedule_time(step));
}

bool Trainer::line_due() const {
  const config::LogConfig& log = recipe_.log;
  if (log.count == config::LogCount::kEpoch) {
    return plan_.timeline.step_in_epoch(state_.step - 1) % log.every == 0;
  }
  return state_.step == 1 || state_.step % log.every == 0;
}

void Trainer::train_one_step() {
  if (state_.step == stage_end_) {
    open_stage();
  }
  session_.observer.step_begins();
  trace_.step_begins(state_.step + 1);
  const std::int64_t accumulate = plan_.accumulate;
  session_.model->train();
  batch_norm_.before_step();
  parameters_.set_epoch(plan_.epoch_of(state_.step) + 1);
  if (const auto end = recipe_.schedule.weight_decay.end) {
    parameters_.scale_weight_decay(optim::weight_decay_share(
        recipe_.optim.weight_decay,
        *end,
        plan_.schedule_time(state_.step),
        plan_.schedule_steps));
  }
  optimizer_->begin_step({.step = state_.step + 1, .steps = plan_.total_steps});
  step_->begin(step_info());
  for (std::int64_t i = 0; i < accumulate; ++i) {
    micro_batch(session_.rank * accumulate + i, /*last=*/i + 1 == accumulate);
  }
  lr_ = rate_of(state_.step);
  step_->finish(lr_);
  dist::Traffic traffic = sync_->traffic();
  traffic.add(batch_norm_.take_traffic());
  interval_.end_step(traffic);
  ++state_.step;
  prune();
  trace_.step_ended(state_.step, traffic.travels);
  session_.finished_steps = state_.step;
  metric_.reset();
  session_.heartbeat.beat(state_.step);
  session_.observer.step_ended(state_.step);
}

void Trainer::prune() {
  if (!pruner_ || !pruner_->prune(state_.step)) {
    return;
  }
  if (ema_) {
    pruner_->clear(ema_->parameters());
  }
  tell_pruned(/*last=*/state_.step == plan_.prune_end);
}

void Trainer::tell_pruned(bool last) {
  if (pruner_ && pruner_->pruned() > 0) {
    session_.observer.pruned(
        state_.step, pruner_->pruned(), pruner_->weights(), last);
  }
}

dist::StepInfo Trainer::step_info() const {
  dist::StepInfo info{.step = state_.step, .samples = {}};
  const std::int64_t epoch = plan_.epoch_of(state_.step);
  for (int part = 0; part < plan_.parts(); ++part) {
    info.samples.push_back(samplers_.of_epoch(epoch).samples_of_worker(
        epoch, plan_.timeline.step_in_epoch(state_.step), part));
  }
  return info;
}

void Trainer::micro_batch(std::int64_t k, bool last) {
  const data::Batch* batch =
      with_oom_context("loading a batch", [&] { return loader_->next(); });
  VITRAIN_CHECK(
      batch != nullptr, ExitCode::kInternal, "the loader ended early");
  bad_samples_.take(state_.step + 1, batch->bad);
  session_.observer.clipped_images("training images", *rows_, *batch);
  interval_.add(*batch, k * batch_.worker_batch());
  if (replicas_) {
    replicas_->set_masks([this, step = state_.step, k](
                             const c10::Device& device, std::int64_t replica) {
      return inputs_->masks(device, step, k, replica);
    });
  }
  const MicroBatch inputs = with_oom_context(
      "making inputs", [&] { return inputs_->make(*batch, state_.step, k); });
  loader_->keep(inputs_->sent());
  if (state_.step == 0 && session_.rank == 0 && k == 0) {
    draw_samples(inputs);
  }
  batch_files_.write(state_.step + 1, k, inputs);
  step_->micro_batch(inputs, last);
}

Moment Trainer::moment(std::int64_t step) const {
  return {
      .step = step,
      .epoch = plan_.epoch_of(step - 1) + 1,
      .lr = rate_of(step - 1),
      .last_checkpoint = writer_.last_checkpoint()};
}

void Trainer::report_interval() {
  TrainReport report = interval_.report(
      *session_.groups.control,
      step_->take_sums(),
      *loader_,
      bad_samples_.take_replaced());
  if (report.replaced > 0) {
    gather_bad_samples();
  }
  report.step = state_.step;
  report.epoch = plan_.epoch_of(state_.step - 1) + 1;
  report.lr = lr_;
  report.bad_samples = bad_samples_.total();
  report.grad_norm = step_->last_gradient_norm();
  if (pruner_) {
    report.sparsity = pruner_->sparsity();
  }
  report.loss_scale = step_->loss_scale();
  session_.observer.train(report);
  tell_stragglers(session_, *stragglers_, report);
  session_.observer.show_warnings();
  keep_samples(/*wait=*/state_.step == plan_.total_steps);
}

} // namespace vitrain::engine
