#include "engine/state/checkpoint_writer.h"

#include <pthread.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <system_error>
#include <thread>
#include <utility>

#include "checkpoint/find.h"
#include "checkpoint/folder.h"
#include "checkpoint/place.h"
#include "config/load/writer.h"
#include "core/check.h"
#include "core/system/activity.h"
#include "core/system/stacks.h"
#include "core/text.h"
#include "data/sources/index.h"
#include "dist/group/collectives.h"
#include "dist/group/connect.h"
#include "engine/device/out_of_memory.h"
#include "engine/state/named_state.h"
#include "job/preprocess_record.h"
#include "job/run/job.h"
#include "job/run/mirror.h"
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

constexpr const char* kWriting = "writing the checkpoint";

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
      memory_(session.cuda),
      store_(session.job.run().checkpoints(), retention_of(session)) {}

std::string CheckpointWriter::last_checkpoint() const {
  const std::string pending = pending_step_ < 0
      ? ""
      : fmt::format(", and that of step {} is being written", pending_step_);
  return saved_step_ < 0
      ? "there is no checkpoint yet" + pending
      : fmt::format("the last checkpoint is of step {}", saved_step_) + pending;
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

void CheckpointWriter::complete(states::Snapshot& snapshot) const {
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
}

CheckpointWriter::Result CheckpointWriter::write_once(
    const states::Snapshot& snapshot) {
  Result result;
  session_.observer.hold();
  try {
    result.warnings = checkpoint::repair_pointers(store_.folder());
    states::check_space(store_.folder(), bytes_, "this checkpoint");
    std::string warning;
    const std::filesystem::path saved = store_.save(
        snapshot, [this] { session_.observer.hold(); }, &warning);
    result.warnings.push_back(std::move(warning));
    result.warnings.push_back(mirror(saved));
    std::erase(result.warnings, "");
  } catch (const Error& error) {
    result.problem = error.what();
    // Throws if another process has taken over the run.
    session_.observer.hold();
  }
  return result;
}

std::string CheckpointWriter::mirror(const std::filesystem::path& checkpoint) {
  const job::RunDirectory run = session_.job.run();
  const auto mirror = job::mirror_of(session_.job.recipe, run);
  if (!mirror) {
    return "";
  }
  try {
    job::copy_config(run, *mirror);
    checkpoint::copy(checkpoint, mirror->checkpoints(), [this] {
      session_.observer.hold();
    });
    mirror_failed_ = false;
    return checkpoint::keep(
        mirror->checkpoints(),
        retention_of(session_),
        checkpoint::read_manifest(checkpoint).step);
  } catch (const Error& error) {
    session_.observer.hold();
    return std::exchange(mirror_failed_, true)
        ? ""
        : fmt::format(
              "checkpoint.mirror: {}; training goes on, and this is reported "
              "once",
              error.what());
  }
}

CheckpointWriter::Result CheckpointWriter::write(
    const states::Snapshot& snapshot,
    bool is_last) {
  const Doing doing(kWriting);
  // Between attempts other programs may free space, or a network file system
  // may come back.
  const int attempts = is_last ? 4 : 1;
  for (int attempt = 1;; ++attempt) {
    Result result = write_once(snapshot);
    if (result.problem.empty() || attempt == attempts) {
      return result;
    }
    const int pause = 1 << (attempt - 1);
    session_.observer.console().warn(fmt::format(
        "the last checkpoint failed and is tried again in {} s: {}",
        pause,
        result.problem));
    std::this_thread::sleep_for(std::chrono::seconds(pause));
    session_.heartbeat.beat();
  }
}

void CheckpointWriter::begin(
    states::Snapshot snapshot,
    const Stopwatch& watch) {
  const auto shared = std::make_shared<states::Snapshot>(std::move(snapshot));
  try {
    const Doing doing("copying the state for a checkpoint");
    memory_.copy(*shared);
    const BlockedSignals blocked; // other threads handle them
    pending_ = std::async(std::launch::async, [this, shared, watch] {
      ::pthread_setname_np(::pthread_self(), "vitrain-save");
      Result result = write_once(*shared);
      result.times.seconds = watch.seconds();
      return result;
    });
  } catch (const std::exception& error) {
    if (!is_out_of_memory(error) &&
        dynamic_cast<const std::system_error*>(&error) == nullptr) {
      throw;
    }
    Result result = write(*shared, /*is_last=*/false);
    result.times.seconds = watch.seconds();
    std::promise<Result> written;
    written.set_value(std::move(result));
    pending_ = written.get_future();
  }
  blocked_ = watch.seconds();
}

void CheckpointWriter::save(
    states::Snapshot snapshot,
    bool is_last,
    const Stopwatch& watch) {
  const std::int64_t step = snapshot.step;
  const bool main = session_.rank == 0;
  if (main) {
    complete(snapshot);
  }
  if (session_.job.recipe.checkpoint.async && !is_last) {
    pending_step_ = step;
    if (main) {
      begin(std::move(snapshot), watch);
    }
    return;
  }
  Result result;
  if (main) {
    result = write(snapshot, is_last);
    result.times = {.seconds = watch.seconds(), .blocked = watch.seconds()};
  }
  report(std::move(result), step, is_last);
}

bool CheckpointWriter::is_written() const {
  return pending_.valid() &&
      pending_.wait_for(std::chrono::seconds(0)) == std::future_status::ready;
}

void CheckpointWriter::settle() {
  if (pending_step_ < 0) {
    return;
  }
  session_.heartbeat.enter(launch::RunPhase::kCheckpoint);
  Result result;
  if (session_.rank == 0) {
    const Doing doing(kWriting);
    const Stopwatch watch;
    result = pending_.get();
    result.times.blocked = blocked_ + watch.seconds();
  }
  report(
      std::move(result),
      std::exchange(pending_step_, -1),
      /*is_last=*/false);
  session_.heartbeat.enter(launch::RunPhase::kStep);
}

void CheckpointWriter::report(Result result, std::int64_t step, bool is_last) {
  for (const std::string& warning : result.warnings) {
    session_.observer.console().warn(warning);
  }
  // All ranks learn the result before any continues.
  const std::string problem =
      dist::all_gather(*session_.groups.control, result.problem).front();
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
        result.times);
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
