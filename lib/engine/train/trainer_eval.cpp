// Member functions of Trainer about evaluation between steps.

#include <utility>

#include <fmt/format.h>

#include "config/sections/recipe.h"
#include "core/system/clock.h"
#include "dist/group/collectives.h"
#include "dist/group/connect.h"
#include "dist/group/replicas.h"
#include "engine/device/out_of_memory.h"
#include "engine/eval/outcomes.h"
#include "engine/state/named_state.h"
#include "engine/step/reports.h"
#include "engine/step/train_step.h"
#include "engine/train/divergence.h"
#include "engine/train/trainer.h"
#include "job/run/job.h"
#include "launch/processes/heartbeat.h"
#include "networks/model.h"
#include "optim/ema.h"
#include "optim/optimizer.h"

namespace vitrain::engine {

void Trainer::sync_replicas() {
  if (together_step_ == state_.step) {
    return; // already done for this step
  }
  together_step_ = state_.step;
  step_->flush(lr_);
  sync_statistics();
  // Averaging is linear: the mean of the workers' averages is the average of
  // the mean weights.
  if (ema_ && !recipe_.dist.sync.traits().replicas_equal) {
    dist::NamedTensors averages;
    for (const at::Tensor& average : ema_->parameters()) {
      averages[fmt::format("{}", averages.size())] = average;
    }
    dist::average_buffers(*session_.groups.data, averages);
  }
  check_weights(*session_.groups.control, named_state(*session_.model), [this] {
    writer_.settle(); // the message names the last checkpoint
    return moment(state_.step);
  });
  check_replicas();
}

void Trainer::sync_statistics() {
  if (statistics_step_ == state_.step) {
    return;
  }
  statistics_step_ = state_.step;
  const bool epoch_ends = plan_.timeline.step_in_epoch(state_.step) == 0;
  batch_norm_.sync_statistics(epoch_ends);
  batch_norm_.sync_statistics(optimizer_->slow_tensors(), epoch_ends);
  if (ema_) {
    batch_norm_.sync_statistics(ema_->buffers(), epoch_ends);
  }
}

void Trainer::sync_statistics_at_epoch_end() {
  if (batch_norm_.needs_epoch_ends() &&
      plan_.timeline.step_in_epoch(state_.step) == 0) {
    sync_statistics();
  }
}

void Trainer::check_replicas() const {
  std::vector<at::Tensor> parameters;
  for (const optim::FlatGroup& group : parameters_.groups()) {
    parameters.push_back(group.parameters);
  }
  dist::check_equal(
      *session_.groups.control,
      parameters,
      fmt::format("after step {}", state_.step));
}

Evaluated Trainer::evaluate_weights(
    const char* weights,
    bool judged,
    SampleResults& results) {
  const Stopwatch watch;
  const EvalCounts counts = with_oom_context("evaluation", [&] {
    return evaluator_.run(
        *session_.model,
        *session_.groups.control,
        [&](std::int64_t done, std::int64_t all) {
          session_.heartbeat.beat();
          session_.observer.evaluating(done, all);
        },
        judged && may_be_last() ? &results : nullptr);
  });
  return {
      .weights = weights,
      .judged = judged,
      .counts = counts,
      .subset = std::ssize(evaluator_.subset()),
      .seconds = watch.seconds()};
}

void Trainer::evaluate() {
  // Reports the samples so far first, because their time is training time.
  if (interval_.steps() > 0) {
    report_interval();
  }
  interval_.pause_clock();
  session_.heartbeat.enter(launch::RunPhase::kEval);
  sync_replicas();
  SampleResults results; // of the judged evaluation, if it may be the last
  std::vector<Evaluated> found;
  const bool averages = job::judges_average(recipe_);
  if (ema_) {
    const optim::Ema::InPlace in_place(*ema_);
    found.push_back(evaluate_weights("ema", averages, results));
  }
  found.push_back(evaluate_weights("raw", !averages, results));
  asked_ = std::max(asked_, asked());
  owes_evaluation_ = asked_ != EarlyEnd::kNone;
  if (!owes_evaluation_) { // otherwise a rank has aborted: incomplete results
    judge(found);
    if (state_.step == plan_.total_steps || patience_is_over()) {
      record_evaluation(
          session_, evaluator_, std::move(results), /*tells=*/false);
    }
  }
  session_.heartbeat.enter(launch::RunPhase::kStep);
  interval_.restart_clock();
}

void Trainer::judge(const std::vector<Evaluated>& found) {
  const Metric metric = recipe_.checkpoint.metric;
  for (const Evaluated& one : found) {
    if (!one.judged) {
      continue;
    }
    const double value = one.counts.value(metric);
    state_.best.take(metric, value, state_.step);
    // Like timm, ignores evaluations during the warm-up.
    if (recipe_.schedule.name == config::ScheduleKind::kPlateau &&
        plan_.schedule_time(state_.step) >
            static_cast<double>(schedule_.warmup_steps)) {
      state_.plateau.take(
          metric, value, recipe_.schedule.patience, recipe_.schedule.threshold);
      schedule_.drops = state_.plateau.drops;
    }
    metric_ = value;
  }
  for (const Evaluated& one : found) {
    session_.observer.evaluated(state_.step, one, state_.best);
  }
}

bool Trainer::may_be_last() const {
  const auto patience = recipe_.run.patience;
  return state_.step == plan_.total_steps ||
      (patience && state_.best.step >= 0 && state_.best.worse + 1 >= *patience);
}

bool Trainer::patience_is_over() const {
  const auto patience = recipe_.run.patience;
  return patience && !owes_evaluation_ && state_.best.step >= 0 &&
      state_.best.worse >= *patience;
}

} // namespace vitrain::engine
