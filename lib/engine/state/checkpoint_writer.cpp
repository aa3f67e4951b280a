#include "engine/state/checkpoint_writer.h"

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <thread>
#include <utility>

#include "checkpoint/find.h"
#include "checkpoint/folder.h"
#include "config/load/writer.h"
#include "core/check.h"
#include "core/system/activity.h"
#include "core/text.h"
#include "data/sources/index.h"
#include "engine/state/named_state.h"
#include "job/preprocess_record.h"
#include "job/run/job.h"
#include "job/run/run_directory.h"
#include "job/run/run_state.h"
#include "launch/processes/heartbeat.h"
#include "logging/console.h"
#include "models/families/family.h"
#include "networks/model.h"
#include "states/space.h"

namespace vitrain::engine {
namespace {

// Failed saves in a row after which every progress line mentions them.
constexpr int kFailedSavesToShow = 3;

checkpoint::RetentionOptions retention_of(const Session& session) {
  const config::Recipe& recipe = session.job.recipe;
  const config::CheckpointConfig& checkpoint = recipe.checkpoint;
  return {
      .keep_last = checkpoint.keep_last,
      .keep_best = checkpoint.keep_best,
      .smaller_is_better = !info_of(checkpoint.metric).larger_is_better,
      .metric_name = job::judged_by(recipe),
      .periods = [&plan = session.plan](std::int64_t step) {
        return plan.checkpoint_keep_every.times(plan.timeline, step);
      }};
}

} // namespace

CheckpointWriter::CheckpointWriter(Session& session)
    : session_(session),
      store_(session.job.run().checkpoints(), retention_of(session)) {}

std::string CheckpointWriter::last_checkpoint() const {
  return saved_step_ < 0
      ? "there is no checkpoint yet"
      : fmt::format("the last checkpoint is of step {}", saved_step_);
}

void CheckpointWriter::check_storage(
    const std::map<std::string, at::Tensor>& optimizer,
    std::int64_t steps) {
  bytes_ = states::checkpoint_bytes(named_state(*session_.model), optimizer);
  // Space for one row per report in metrics.jsonl and TensorBoard, with an
  // upper limit for very long runs.
  constexpr double kRow = 2500;
  constexpr double kLeast = 1 << 20;
  constexpr double kMost = 64 << 20;
  const double rows = static_cast<double>(steps) /
      static_cast<double>(session_.job.recipe.log.every);
  states::check_space(
      store_.folder(),
      states::needed_bytes(
          store_.folder(), bytes_, std::min(kLeast + rows * kRow, kMost)),
      "the checkpoints to come and the logs");
}

std::string CheckpointWriter::write(states::Snapshot snapshot, bool is_last) {
  const Doing doing("writing the checkpoint");
  snapshot.world_size = session_.world;
  snapshot.metric_name = job::judged_by(session_.job.recipe);
  snapshot.config_hash = config::recipe_hash(session_.job.recipe);
  snapshot.preprocess = job::preprocess_record(
      session_.job.recipe,
      session_.spec,
      // Masked autoencoders have no classes.
      session_.spec.family->learns_pixels ? std::vector<std::string>{}
                                          : session_.train_index->classes(),
      session_.train_index->label_form());
  snapshot.model = named_state(*session_.model);
  logging::Console& console = session_.observer.console();
  // Meanwhile other programs may free space, or a network file system may come
  // back.
  const int attempts = is_last ? 4 : 1;
  std::string problem;
  for (int attempt = 1; attempt <= attempts; ++attempt) {
    session_.observer.hold();
    try {
      for (const std::string& line :
           checkpoint::repair_pointers(store_.folder())) {
        console.warn(line);
      }
      states::check_space(store_.folder(), bytes_, "this checkpoint");
      std::string warning;
      store_.save(
          snapshot, [this] { session_.observer.hold(); }, &warning);
      if (!warning.empty()) {
        console.warn(warning);
      }
      return "";
    } catch (const Error& error) {
      problem = error.what();
    }
    // Throws if another process has taken over the run.
    session_.observer.hold();
    if (attempt < attempts) {
      const int pause = 1 << (attempt - 1);
      console.warn(fmt::format(
          "the last checkpoint failed and is tried again in {} s: {}",
          pause,
          problem));
      std::this_thread::sleep_for(std::chrono::seconds(pause));
      session_.heartbeat.beat();
    }
  }
  return problem;
}

void CheckpointWriter::finish(
    const std::string& problem,
    std::int64_t step,
    bool is_last,
    double seconds) {
  failed_saves_ = problem.empty() ? 0 : failed_saves_ + 1;
  session_.observer.unsaved(
      failed_saves_ < kFailedSavesToShow
          ? ""
          : fmt::format(
                "{} saves failed, {}",
                failed_saves_,
                saved_step_ < 0 ? "nothing saved yet"
                                : "last of step " + with_commas(saved_step_)));
  if (problem.empty()) {
    saved_step_ = step;
    session_.observer.saved(
        step,
        (store_.folder() / checkpoint::folder_name(step)).native(),
        seconds);
    return;
  }
  // A later checkpoint replaces a failed periodic one, but not the last one of
  // a run or of a stop.
  if (is_last && session_.rank == 0) {
    // Printed too, because the log may be on the same full disk.
    session_.observer.console().warn("the last checkpoint failed: " + problem);
  }
  VITRAIN_CHECK(
      !is_last, ExitCode::kStorage, "the last checkpoint failed: {}", problem);
  session_.observer.console().warn(fmt::format(
      "the checkpoint of step {} failed and training goes on ({}): {}",
      step,
      last_checkpoint(),
      problem));
}

} // namespace vitrain::engine
