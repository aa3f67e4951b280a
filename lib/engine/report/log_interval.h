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

// This worker's samples, times and traffic since the last report.
class LogInterval {
 public:
  // Adds the samples of a micro-batch; the first one has position `first` in
  // the step's global batch.
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
  // Continues from another process's state(). Times of its steps are unknown;
  // the averages of the later steps stand for them.
  void restore(const job::LogIntervalState& state);

  // Sums over all workers and starts a new interval. Fills all fields of a
  // report except those of the last step or the whole run: step, epoch, batch,
  // lr, grad_norm, bad_samples. Each worker's time shares are relative to its
  // own interval, so that its waiting time never exceeds it, even if workers
  // are several steps apart. Collective.
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
  // The loader's counters at the begin of the interval.
  double wait_before_ = 0.0;
  std::int64_t warnings_before_ = 0;
};

} // namespace vitrain::engine
