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
// data.augment change the batch. Steps and epochs are counted from 0, and
// lengths in epochs from the start of the run.
class Timeline {
 public:
  // Empty timeline, for a run that only evaluates.
  Timeline() = default;
  // `stretches`: ascending, the first one from epoch 0, each with at least one
  // step.
  explicit Timeline(const std::vector<EpochSteps>& stretches);

  bool empty() const { return stretches_.empty(); }
  // Returns true if all epochs have the same number of steps.
  bool even() const { return stretches_.size() <= 1; }
  std::vector<EpochSteps> stretches() const;

  // Returns the epoch of a step; for the step after the last one of the run,
  // the epoch after the last.
  std::int64_t epoch_of(std::int64_t step) const;
  std::int64_t step_in_epoch(std::int64_t step) const;
  std::int64_t first_step(std::int64_t epoch) const;
  std::int64_t steps_in(std::int64_t epoch) const;

  // Returns the number of epochs completed when `step` begins, including the
  // completed fraction of the current epoch.
  double epochs_at(std::int64_t step) const;
  // Returns the time of `step`, where every epoch counts as `unit` steps;
  // exactly `step` if all epochs before it have `unit` steps.
  double time_at(std::int64_t step, std::int64_t unit) const;
  // Returns the step nearest to this number of epochs.
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

// An interval in steps or in epochs.
struct Interval {
  std::int64_t steps = 0; // in steps; 0: never
  // Interval in epochs, used if epochs have different numbers of steps; 0:
  // `steps` is used.
  double epochs = 0.0;

  // Returns how many intervals have ended once `step` steps are completed.
  std::int64_t times(const Timeline& timeline, std::int64_t step) const;
  // Returns true if an interval ends with the `step`-th step (from 1).
  bool due(const Timeline& timeline, std::int64_t step) const;
  // Returns the first step after `step` at which an interval ends. The interval
  // must not be "never".
  std::int64_t next(const Timeline& timeline, std::int64_t step) const;
  // Returns true if at least one interval has elapsed between `first` and
  // `step`.
  bool over(const Timeline& timeline, std::int64_t first, std::int64_t step)
      const;
};

} // namespace vitrain::config
