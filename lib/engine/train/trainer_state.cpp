// Member functions of Trainer about checkpoints.

#include <cmath>

#include <ATen/ATen.h>
#include <fmt/format.h>

#include "core/system/clock.h"
#include "core/system/lock_holder.h"
#include "core/text.h"
#include "data/load/samplers.h"
#include "dist/group/collectives.h"
#include "dist/group/connect.h"
#include "engine/device/out_of_memory.h"
#include "engine/state/named_state.h"
#include "engine/state/repeatability.h"
#include "engine/step/reports.h"
#include "engine/step/train_options.h"
#include "engine/train/loss_spikes.h"
#include "engine/train/trainer.h"
#include "job/data_options.h"
#include "job/run/job.h"
#include "job/run/partial_epoch.h"
#include "job/run/saved_state.h"
#include "launch/processes/heartbeat.h"
#include "logging/console.h"
#include "networks/model.h"

namespace vitrain::engine {

void Trainer::restore() {
  if (session_.job.resume.empty()) {
    return;
  }
  const states::Snapshot snapshot = states::load(session_.job.resume);
  const std::string name = printable(session_.job.resume);
  const job::SavedState saved = job::read_saved_state(snapshot.state, name);
  identity_.check_same(saved.identity, name);
  check_repeatability(
      repeatability(session_),
      snapshot.state.value(kRepeatability, Json()),
      name);
  load_named_state(*session_.model, snapshot.model);
  load_optimizer(snapshot.optimizer);
  averages_restored_ = ema_ && !snapshot.ema.empty();
  if (averages_restored_) {
    load_averages(snapshot, saved);
  }
  state_ = saved.run;
  statistics_step_ = state_.step; // statistics were made equal before saving
  if (const std::string before = state_.best.metric_name;
      state_.judge_by(job::judged_by(recipe_)) && session_.rank == 0) {
    session_.observer.console().warn(fmt::format(
        "evaluations were judged by {} before, and are by {} from here on: the "
        "next one is the best so far",
        before,
        state_.best.metric_name));
  }
  schedule_.drops = state_.plateau.drops;
  owes_evaluation_ = saved.owes_evaluation;
  restore_interval(saved);
  spikes_->restore(saved.spike_losses, saved.spikes_in_a_row);
  if (saved.gradient_norm) {
    step_->set_gradient_norm(*saved.gradient_norm);
  }
  writer_.set_saved_step(state_.step);
  session_.finished_steps = state_.step;
  session_.observer.resumed(state_.step, state_.best);
  tell_pruned(/*last=*/true);
}

void Trainer::load_averages(
    const states::Snapshot& snapshot,
    const job::SavedState& saved) {
  ema_->load_state(
      snapshot.ema,
      saved.averagings.value_or(optim::averagings_until(
          ema_options(recipe_.train.ema, plan_), snapshot.step)));
}

void Trainer::restore_interval(const job::SavedState& saved) {
  const job::LogIntervalState interval =
      saved.interval_of(session_.rank, session_.world);
  bad_samples_.restore(saved.bad_samples, interval.replaced);
  interval_.restore(interval);
  step_->set_sums(
      {.loss = interval.loss,
       .correct1 = interval.correct1,
       .correct5 = interval.correct5,
       .count = interval.count});
}

void Trainer::load_optimizer(std::map<std::string, at::Tensor> saved) {
  const at::NoGradGuard no_grad;
  auto own = sync_->state();
  own.merge(step_->state());
  for (auto& [name, tensor] : own) {
    // A resumed run may use another dist.sync mode or precision; that state
    // then starts from scratch.
    if (const auto found = saved.find(name);
        found != saved.end() && found->second.sizes() == tensor.sizes()) {
      tensor.copy_(found->second);
    }
  }
  if (pruner_) {
    pruner_->load_state(saved);
  }
  std::erase_if(saved, [](const auto& item) {
    return item.first.starts_with("sync.") ||
        item.first.starts_with("prune.") ||
        item.first.starts_with("loss_scale.");
  });
  optimizer_->load_state(saved);
}

std::map<std::string, at::Tensor> Trainer::optimizer_state() const {
  auto state = optimizer_->state([&](const at::Tensor& share) {
    const at::Tensor whole =
        at::empty({session_.world * share.numel()}, share.options());
    session_.groups.data->all_gather_into(whole, share);
    // Only rank 0 writes. On the CPU, because the device may not have memory
    // for the whole state.
    return session_.rank == 0 ? whole.cpu() : at::Tensor();
  });
  state.merge(sync_->state());
  if (pruner_) {
    state.merge(pruner_->state());
  }
  state.merge(step_->state());
  return state;
}

Json Trainer::state_record() {
  Json record{
      {"run", state_.to_json()},
      {"identity", identity_.to_json()},
      {"order", job::order_record(samplers_, plan_.timeline, state_.step)},
      {"bad_samples", bad_samples_.to_json()},
      {job::kOwesEvaluation, owes_evaluation_}};
  if (Json facts = repeatability(session_); !facts.is_null()) {
    record[kRepeatability] = std::move(facts);
  }
  if (ema_) {
    record[job::kAveragings] = ema_->averagings();
  }
  if (recipe_.train.on_spike.active()) {
    record[job::kSpikes] = {
        {"losses", spikes_->losses()}, {"in_a_row", spikes_->in_a_row()}};
  }
  if (const auto norm = step_->last_gradient_norm();
      norm && std::isfinite(*norm)) {
    record[job::kGradientNorm] = *norm;
  }
  if (interval_.steps() == 0) {
    return record;
  }
  job::LogIntervalState interval = interval_.state(*loader_);
  const TrainSums sums = step_->sums();
  interval.loss = sums.loss;
  interval.correct1 = sums.correct1;
  interval.correct5 = sums.correct5;
  interval.count = sums.count;
  interval.replaced = bad_samples_.replaced();
  record["interval"] =
      dist::all_gather(*session_.groups.control, interval.to_json());
  return record;
}

void Trainer::check_storage() {
  // Meta tensors of the full size, without content.
  auto optimizer = optimizer_->state([&](const at::Tensor& share) {
    return at::empty(
        {session_.world * share.numel()}, share.options().device(at::kMeta));
  });
  optimizer.merge(sync_->state());
  if (pruner_) {
    optimizer.merge(pruner_->state());
  }
  optimizer.merge(step_->state());
  if (ema_) {
    for (const auto& [name, tensor] : ema_->state()) {
      optimizer.emplace("ema." + name, tensor);
    }
  }
  writer_.check_storage(optimizer, plan_.total_steps - state_.step);
}

void Trainer::save() {
  const bool is_last = state_.step == plan_.total_steps || stopping_;
  if (writer_.saved_step() == state_.step ||
      (writer_.pending_step() == state_.step && !is_last)) {
    return;
  }
  interval_.pause_clock();
  writer_.settle();
  session_.heartbeat.enter(launch::RunPhase::kCheckpoint);
  if (writer_.saved_step() != state_.step) {
    sync_replicas();
    gather_bad_samples();
    const Stopwatch watch;
    // Collective if the workers share the optimizer state.
    states::Snapshot snapshot;
    snapshot.step = state_.step;
    snapshot.epoch = plan_.epoch_of(state_.step);
    snapshot.metric = metric_;
    if (ema_) {
      snapshot.ema = ema_->state();
    }
    snapshot.optimizer =
        with_oom_context("a checkpoint", [&] { return optimizer_state(); });
    snapshot.state = state_record();
    writer_.save(std::move(snapshot), is_last, watch);
    save_watch_.restart();
  }
  // A rank that was asked to stop in the meantime does not need another step
  // and checkpoint.
  asked_ = std::max(asked_, asked());
  session_.heartbeat.enter(launch::RunPhase::kStep);
  interval_.restart_clock();
}

} // namespace vitrain::engine
