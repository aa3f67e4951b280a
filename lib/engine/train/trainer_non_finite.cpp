// Member functions of Trainer about steps with a non-finite gradient norm.

#include <algorithm>
#include <cmath>

#include "checkpoint/find.h"
#include "config/sections/recipe.h"
#include "core/check.h"
#include "core/system/files.h"
#include "core/text.h"
#include "data/load/samplers.h"
#include "dist/group/collectives.h"
#include "dist/group/connect.h"
#include "dist/sync/gradient_sync.h"
#include "engine/state/named_state.h"
#include "engine/step/train_step.h"
#include "engine/train/divergence.h"
#include "engine/train/loss_spikes.h"
#include "engine/train/step_dump.h"
#include "engine/train/trainer.h"
#include "job/run/job.h"
#include "job/run/run_directory.h"
#include "job/run/saved_state.h"
#include "logging/console.h"
#include "networks/model.h"

namespace vitrain::engine {

void Trainer::check_finite() {
  // On a GPU, reading the norm waits for the device, so it is read only when
  // other numbers are read anyway; after a non-finite step no weight changes in
  // the meantime.
  const bool goes_on =
      recipe_.train.on_non_finite != config::OnNonFinite::kStop;
  const bool ask = goes_on || session_.cuda == nullptr || line_due() ||
      due(plan_.eval_every) || due(plan_.checkpoint_every) ||
      state_.step == plan_.total_steps;
  if (!ask) {
    return;
  }
  if (step_->scales_loss()) {
    check_loss_scale();
    return;
  }
  const double norm = step_->gradient_norm();
  if (std::isfinite(norm)) {
    state_.non_finite.in_a_row = 0;
    if (step_->was_spike()) {
      handle_spike();
    }
    return;
  }
  if (goes_on) {
    pass_over(norm);
    return;
  }
  const config::DistConfig& dist = recipe_.dist;
  if (dist.sync.traits().replicas_equal) {
    writer_.settle(); // the message names the last checkpoint
  }
  // If replicas are equal, all ranks see this norm and come here, so a
  // collective is possible.
  const auto of_all = [&](double value) {
    return dist.sync.traits().replicas_equal
        ? dist::all_gather(*session_.groups.control, value)
        : std::vector{value};
  };
  const auto largest = sync_->largest_sent();
  const std::int64_t bad =
      state_.step - std::max<std::int64_t>(0, step_->steps_since_bad() - 1);
  dump_step(bad, norm);
  fail_gradient(
      {.norm = norm,
       .compress = dist.compress,
       .sent = largest ? of_all(*largest) : std::vector<double>(),
       .losses = of_all(step_->sums().loss)},
      moment(bad));
}

bool Trainer::is_spike(double loss) {
  double mean = 0.0;
  for (const double part : dist::all_gather(*session_.groups.control, loss)) {
    mean += part;
  }
  return spikes_->judge(mean);
}

void Trainer::handle_spike() {
  const config::SpikeConfig& config = recipe_.train.on_spike;
  const std::string found = fmt::format(
      "the loss is {:.4g} at step {} (epoch {}), more than {:.4g} "
      "(train.on_spike.factor) times {:.4g}, the median of {} before it",
      spikes_->last(),
      with_commas(state_.step),
      plan_.epoch_of(state_.step - 1) + 1,
      *config.factor,
      spikes_->median(),
      counted(config.window, "step"));
  const bool back = config.action == config::OnNonFinite::kRollback;
  writer_.settle();
  std::string reason;
  if (!config.goes_on()) {
    reason = "train.on_spike.action is stop";
  } else if (spikes_->in_a_row() > config.in_a_row) {
    reason = fmt::format(
        "in {} in a row, more than train.on_spike.in_a_row: {} allows",
        counted(spikes_->in_a_row(), "step"),
        config.in_a_row);
  } else if (back && !can_roll_back()) {
    reason = fmt::format(
        "there is no checkpoint yet to return to: a shorter checkpoint.every "
        "than {} saves one earlier",
        recipe_.checkpoint.every.text());
  }
  if (!reason.empty()) {
    dump_step(state_.step, step_->gradient_norm());
    fail(
        ExitCode::kNonFinite,
        "{}, and {}; {}. Try a lower optim.lr, a longer schedule.warmup, or "
        "optim.clip_norm",
        found,
        reason,
        writer_.last_checkpoint());
  }
  if (back) {
    roll_back();
  }
  if (session_.rank == 0) {
    session_.observer.console().warn(fmt::format(
        "{}: {}; such steps in a row: {}",
        found,
        back ? fmt::format(
                   "weights and optimizer are those of step {} again",
                   with_commas(writer_.saved_step()))
             : "the step is skipped",
        spikes_->in_a_row()));
  }
}

void Trainer::dump_step(std::int64_t step, double norm) {
  if (session_.rank != 0) {
    return;
  }
  const std::int64_t epoch = plan_.epoch_of(step - 1);
  const data::Sampler& sampler = samplers_.of_epoch(epoch);
  Json dump{
      {"step", step},
      {"epoch", epoch + 1},
      {"lr", rate_of(step - 1)},
      {"gradient_norm", fmt::format("{:.9g}", norm)},
      {"samples",
       samples_of_step(
           sampler,
           epoch,
           plan_.timeline.step_in_epoch(step - 1),
           plan_.workers * plan_.accumulate)},
      {"repeat",
       can_roll_back()
           ? fmt::format(
                 "vitrain -resume {}", shell_word(session_.job.run_directory))
           : session_.job.command_line}};
  if (step == state_.step) { // otherwise the gradients are a later step's
    dump["norms"] = norms_of(parameters_);
  }
  const std::filesystem::path file = session_.job.run().bad_step(step);
  try {
    write_file_atomically(file, dump.dump(1) + "\n");
    session_.observer.console().warn(fmt::format(
        "samples and norms of step {} are in {}",
        with_commas(step),
        printable(file.native())));
  } catch (const Error& error) { // the run ends for another reason
    session_.observer.console().warn(error.what());
  }
}

void Trainer::check_loss_scale() {
  const std::int64_t since = step_->steps_since_bad();
  if (since > 0) {
    fail_loss_scale(*step_->loss_scale(), moment(state_.step - (since - 1)));
  }
}

void Trainer::pass_over(double norm) {
  job::NonFiniteSteps& seen = state_.non_finite;
  ++seen.in_a_row;
  ++seen.in_all;
  const config::TrainConfig& train = recipe_.train;
  const auto check = [&](std::int64_t steps,
                         std::int64_t limit,
                         const char* key,
                         const char* which) {
    VITRAIN_CHECK(
        steps <= limit,
        ExitCode::kNonFinite,
        "the gradient norm is {} at step {}, and not finite in {} {}, more "
        "than {}: {} allows: training has diverged; {}. Try a lower optim.lr, "
        "a longer schedule.warmup, or optim.clip_norm",
        norm,
        state_.step,
        counted(steps, "step"),
        which,
        key,
        limit,
        writer_.last_checkpoint());
  };
  check(
      seen.in_a_row,
      train.non_finite_in_a_row,
      "train.non_finite_in_a_row",
      "in a row");
  check(
      seen.in_all,
      train.non_finite_in_all,
      "train.non_finite_in_all",
      "of the run");
  const bool back = train.on_non_finite == config::OnNonFinite::kRollback;
  writer_.settle();
  if (back && !can_roll_back()) {
    fail_without_checkpoint(norm);
  }
  if (back) {
    roll_back();
  }
  if (session_.rank == 0) {
    session_.observer.console().warn(fmt::format(
        "the gradient norm is {} at step {} (epoch {}): {}; such steps: {} in "
        "a row, {} in all",
        norm,
        with_commas(state_.step),
        plan_.epoch_of(state_.step - 1) + 1,
        back ? fmt::format(
                   "weights and optimizer are those of step {} again",
                   with_commas(writer_.saved_step()))
             : "the step is skipped",
        seen.in_a_row,
        seen.in_all));
  }
}

void Trainer::fail_without_checkpoint(double norm) const {
  Moment when = moment(state_.step);
  when.last_checkpoint = fmt::format(
      "there is no checkpoint yet that train.on_non_finite: rollback could go "
      "back to: a shorter checkpoint.every than {} saves one earlier",
      recipe_.checkpoint.every.text());
  fail_gradient(
      {.norm = norm,
       .compress = recipe_.dist.compress,
       .sent = {},
       .losses = {}},
      when);
}

void Trainer::roll_back() {
  std::filesystem::path from = session_.job.run().checkpoints() /
      checkpoint::folder_name(writer_.saved_step());
  if (!checkpoint::is_checkpoint(from)) {
    from = session_.job.resume; // nothing has been saved since the resume
  }
  const states::Snapshot snapshot = states::load(from);
  load_named_state(*session_.model, snapshot.model);
  load_optimizer(snapshot.optimizer);
  if (ema_ && !snapshot.ema.empty()) {
    load_averages(
        snapshot,
        job::read_saved_state(snapshot.state, printable(from.native())));
  }
  metric_.reset();
  together_step_ = -1;
}

} // namespace vitrain::engine
