#pragma once

#include <cstdint>

#include "core/system/clock.h"
#include "data/load/loader.h"
#include "dist/group/group.h"
#include "dist/group/traffic.h"
#include "engine/report/reports.h"
#include "engine/train/train_step.h"
#include "job/run/saved_state.h"

namespace vitrain::engine {

// What this worker has done since the last report.
class LogInterval {
 public:
  // The samples of a micro-batch, whose first one has place `first` in the
  // step's global batch.
  void add(const data::Batch& batch, std::int64_t first);
  void end_step(const dist::Traffic& traffic);
  std::int64_t steps() const { return steps_; }
  // The time from pause_clock() to restart_clock() was not training: it does
  // not count.
  void pause_clock() { seconds_ += clock_.restart(); }
  void restart_clock() { clock_.restart(); }

  // Another loader follows, which counts from 0.
  void end_loader(const data::Loader& loader);

  // What a checkpoint between two reports has to hold of this worker: steps,
  // traffic, warnings, clipped images and the samples' hash. The rest is the
  // caller's.
  job::LogIntervalState state(const data::Loader& loader);
  // Goes on from what state() gave in another process. The times of its steps
  // are not known: those of the others stand for them.
  void restore(const job::LogIntervalState& state);

  // Sums over all workers, and a new interval begins. Fills all of a report
  // but what is of the last step alone or of the whole run: step, epoch, batch,
  // lr, grad_norm, bad_samples. Each worker's shares are of its own time, so
  // that what one of them has waited for belongs to its interval and never
  // exceeds it, however far apart the workers are. Collective.
  TrainReport report(
      dist::Group& control,
      const TrainSums& sums,
      const data::Loader& loader,
      std::int64_t replaced);

 private:
  Stopwatch clock_;
  double seconds_ = 0.0; // before the last pause
  std::int64_t steps_ = 0;
  std::int64_t restored_steps_ = 0; // of them, made by another process
  std::int64_t hash_ = 0; // of this rank's samples and their places
  std::int64_t clipped_ = 0; // images of this rank whose values were clipped
  dist::Traffic traffic_;
  // Of the loader when the interval began.
  double wait_before_ = 0.0;
  std::int64_t warnings_before_ = 0;
};

} // namespace vitrain::engine
