#pragma once

#include <cstdint>
#include <vector>

#include "config/schema/duration.h"

namespace vitrain::config {

// Epochs with the same number of steps: from `first_epoch` (counted from 0) up
// to the next EpochSteps.
struct EpochSteps {
  std::int64_t first_epoch = 0;
  std::int64_t steps = 1;

  bool operator==(const EpochSteps&) const = default;
};

// Maps steps to epochs. Epochs have equal numbers of steps, unless stages of
// data.augment change the batch; the last stretch of equal epochs has no end.
// Steps and epochs are counted from 0, and lengths in epochs from the start of
// the run. An empty timeline has no steps: only empty(), even() and stretches()
// may be called.
class Timeline {
 public:
  // Empty timeline, for a run that only evaluates.
  Timeline() = default;
  // `stretches`: ascending, the first one from epoch 0, with at least one step
  // per epoch. Merges adjacent stretches with equal numbers of steps.
  explicit Timeline(const std::vector<EpochSteps>& stretches);

  bool empty() const { return stretches_.empty(); }
  // Returns true if all epochs have the same number of steps, also if the
  // timeline is empty.
  bool even() const { return stretches_.size() <= 1; }
  std::vector<EpochSteps> stretches() const;

  // Returns the epoch of a step. The number of steps of complete epochs gives
  // the epoch after them.
  std::int64_t epoch_of(std::int64_t step) const;
  std::int64_t step_in_epoch(std::int64_t step) const;
  std::int64_t first_step(std::int64_t epoch) const;
  std::int64_t steps_in(std::int64_t epoch) const;

  // Returns the number of epochs completed when `step` begins, including the
  // completed fraction of the current epoch.
  double epochs_at(std::int64_t step) const;
  // Returns the time of `step`, where every epoch counts as `unit` steps;
  // exactly `step` if its epoch and all before it have `unit` steps.
  double time_at(std::int64_t step, std::int64_t unit) const;
  // Returns the number of steps nearest to this number of epochs.
  std::int64_t step_at(double epochs) const;

 private:
  struct Stretch {
    EpochSteps epochs;
    std::int64_t first_step = 0;
  };
  const Stretch& of_step(std::int64_t step) const;
  const Stretch& of_epoch(std::int64_t epoch) const;

  std::vector<Stretch> stretches_;
};

// An interval in steps, in epochs, or in seconds. An interval in seconds is
// "never" to all functions.
struct Interval {
  std::int64_t steps = 0; // optimizer steps, used if `epochs` is 0; 0: never
  // Interval in epochs, for epochs with different numbers of steps; 0: `steps`
  // is used.
  double epochs = 0.0;
  double seconds = 0.0; // 0: the interval is not a time

  // Returns how many intervals have ended once `step` steps are completed; 0
  // for "never".
  std::int64_t times(const Timeline& timeline, std::int64_t step) const;
  // Returns true if an interval ends with the `step`-th step (from 1).
  bool due(const Timeline& timeline, std::int64_t step) const;
  // Returns the smallest number of steps above `step` at which due() is true.
  // The interval must not be "never".
  std::int64_t next(const Timeline& timeline, std::int64_t step) const;
  // Returns true if the length from `first` to `step` completed steps is at
  // least one interval; false for "never".
  bool over(const Timeline& timeline, std::int64_t first, std::int64_t step)
      const;
};

} // namespace vitrain::config
