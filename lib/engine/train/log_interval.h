#pragma once

#include <cstdint>

#include "core/system/clock.h"
#include "dist/group/traffic.h"

namespace vitrain::data {
struct Batch;
class Loader;
} // namespace vitrain::data

namespace vitrain::dist {
class Group;
} // namespace vitrain::dist

namespace vitrain::job {
struct LogIntervalState;
} // namespace vitrain::job

namespace vitrain::engine {

struct TrainReport;
struct TrainSums;

// This worker's samples, times and traffic since the last report.
class LogInterval {
 public:
  // Adds the samples of a micro-batch; the first one has position `first` in
  // the step's global batch.
  void add(const data::Batch& batch, std::int64_t first);
  // Call after each step with the step's traffic.
  void end_step(const dist::Traffic& traffic);
  std::int64_t steps() const { return steps_; }
  // Time between pause_clock() and restart_clock() does not count as training
  // time.
  void pause_clock() { seconds_ += clock_.restart(); }
  void restart_clock() { clock_.restart(); }

  // Call before the loader is replaced by a new one, whose counters start at 0.
  void end_loader(const data::Loader& loader);

  // Returns this worker's state for a checkpoint between two reports: steps,
  // traffic, warnings, clipped images and the samples' hash. The caller adds
  // the other fields. Waits for the device.
  job::LogIntervalState state(const data::Loader& loader);
  // Continues from another process's state(). The times of its steps are
  // unknown, so the mean time of later steps is used for them.
  void restore(const job::LogIntervalState& state);

  // Sums over all workers and starts a new interval. Requires steps() > 0.
  // Fills all fields of a report except those about the last step or the whole
  // run: step, epoch, lr, grad_norm, bad_samples, sparsity, loss_scale. `sums`,
  // `loader`, `replaced` (rows that the loader replaced): this worker's. Each
  // worker's fractions of time are relative to its own interval, so they never
  // exceed 1, even if workers are several steps apart. Collective.
  TrainReport report(
      dist::Group& control,
      const TrainSums& sums,
      const data::Loader& loader,
      std::int64_t replaced);

 private:
  void begin_next(const data::Loader& loader);

  Stopwatch clock_;
  double seconds_ = 0.0; // training time before the last pause
  std::int64_t steps_ = 0;
  std::int64_t restored_steps_ = 0; // part of steps_ that another process ran
  std::int64_t hash_ = 0; // sum of sample_hash() of this rank's samples
  std::int64_t clipped_ = 0; // images of this rank whose values were clipped
  dist::Traffic traffic_;
  // Subtracted from the loader's counters to get the counts of the interval:
  // their values at its begin, minus the counts of loaders that were replaced
  // during the interval.
  double wait_before_ = 0.0;
  std::int64_t warnings_before_ = 0;
};

} // namespace vitrain::engine
