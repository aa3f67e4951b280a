// Member functions of Trainer about ending early and saving by the clock.

#include <algorithm>
#include <filesystem>
#include <system_error>

#include <fmt/format.h>

#include "core/text.h"
#include "dist/group/collectives.h"
#include "dist/group/connect.h"
#include "dist/sync/gradient_sync.h"
#include "engine/train/trainer.h"
#include "job/run/job.h"
#include "job/run/run_directory.h"
#include "launch/processes/signals.h"
#include "logging/console.h"

namespace vitrain::engine {

void Trainer::end_early() {
  session_.observer.console().info(fmt::format(
      "{} evaluations in a row were not better than that of step {}: the run "
      "ends here (run.patience)",
      *recipe_.run.patience,
      with_commas(state_.best.step)));
  stopping_ = true;
  keep_samples(/*wait=*/true);
  save();
}

EarlyEnd Trainer::early_end() {
  if (session_.stop.run_failed()) {
    return EarlyEnd::kFailed;
  }
  if (session_.stop.requested() || told_to_stop_) {
    return EarlyEnd::kRequested;
  }
  const auto& most = recipe_.run.max_time;
  const job::Job& job = session_.job;
  std::string why;
  if (most && job::boot_seconds() - job.process_start >= most->value) {
    why = fmt::format("run.max_time ({}) is over", most->text());
  } else if (session_.rank == 0 && stop_watch_.seconds() >= 1.0) {
    stop_watch_.restart();
    std::error_code error;
    if (std::filesystem::exists(job.run().stop(), error)) {
      why = printable(job.run().stop().native()) + " is there";
    }
  }
  if (why.empty()) {
    return EarlyEnd::kNone;
  }
  told_to_stop_ = true;
  if (session_.rank == 0) {
    session_.observer.console().info(why + ": the run saves and stops");
  }
  return EarlyEnd::kRequested;
}

EarlyEnd Trainer::vote() {
  const EarlyEnd end = early_end();
  const double every = plan_.checkpoint_every.seconds;
  if (session_.rank != 0) {
    return end;
  }
  if (every > 0.0 && save_watch_.seconds() >= every) {
    return std::max(end, EarlyEnd::kSave);
  }
  return std::max(
      end, writer_.is_written() ? EarlyEnd::kSaved : EarlyEnd::kNone);
}

void Trainer::follow(EarlyEnd agreed) {
  // Votes that began before the save of `step` know nothing about it.
  const auto is_later = [&](std::int64_t step) {
    return step < 0 || state_.step > step + sync_->lead();
  };
  if (agreed == EarlyEnd::kSave && is_later(vote_saved_)) {
    vote_saved_ = state_.step;
    save();
  } else if (agreed == EarlyEnd::kSaved && is_later(writer_.pending_step())) {
    writer_.settle();
  } else if (agreed > EarlyEnd::kSave) {
    asked_ = std::max(asked_, agreed);
  }
}

EarlyEnd Trainer::asked() {
  const auto ends =
      dist::all_gather(*session_.groups.control, static_cast<int>(early_end()));
  return static_cast<EarlyEnd>(std::ranges::max(ends));
}

void Trainer::remove_stop_file() {
  if (session_.rank == 0) {
    std::error_code ignored;
    std::filesystem::remove(session_.job.run().stop(), ignored);
  }
}

} // namespace vitrain::engine
