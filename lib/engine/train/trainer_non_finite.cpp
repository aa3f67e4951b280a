// Member functions of Trainer about steps with a non-finite gradient norm.

#include <algorithm>
#include <cmath>

#include "checkpoint/find.h"
#include "core/check.h"
#include "core/text.h"
#include "dist/group/collectives.h"
#include "dist/group/connect.h"
#include "dist/sync/gradient_sync.h"
#include "engine/state/named_state.h"
#include "engine/step/train_step.h"
#include "engine/train/divergence.h"
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
  fail_gradient(
      {.norm = norm,
       .compress = dist.compress,
       .sent = largest ? of_all(*largest) : std::vector<double>(),
       .losses = of_all(step_->sums().loss)},
      moment(
          state_.step -
          std::max<std::int64_t>(0, step_->steps_since_bad() - 1)));
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
  if (back) {
    roll_back(norm);
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

void Trainer::roll_back(double norm) {
  writer_.settle();
  if (writer_.saved_step() < 0) {
    Moment when = moment(state_.step);
    when.last_checkpoint = fmt::format(
        "there is no checkpoint yet that train.on_non_finite: rollback could "
        "go back to: a shorter checkpoint.every than {} saves one earlier",
        recipe_.checkpoint.every.text());
    fail_gradient(
        {.norm = norm,
         .compress = recipe_.dist.compress,
         .sent = {},
         .losses = {}},
        when);
  }
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
