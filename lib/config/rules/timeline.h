#pragma once

#include <cstdint>
#include <vector>

#include "config/schema/duration.h"

namespace vitrain::config {

// Epochs of one number of steps: those from `first_epoch` on, from 0.
struct EpochSteps {
  std::int64_t first_epoch = 0;
  std::int64_t steps = 1;

  bool operator==(const EpochSteps&) const = default;
};

// Which epoch a step is in. Epochs have equal numbers of steps, unless stages
// of data.augment change the batch. Steps and epochs are counted from 0, and
// lengths in epochs from the start of the run.
class Timeline {
 public:
  // Without epochs: of an evaluation.
  Timeline() = default;
  // The first one begins with epoch 0, and they ascend; each has at least one
  // step.
  explicit Timeline(const std::vector<EpochSteps>& stretches);

  bool empty() const { return stretches_.empty(); }
  // All epochs have the same number of steps.
  bool even() const { return stretches_.size() <= 1; }
  std::vector<EpochSteps> stretches() const;

  // The epoch of a step: of the one after the last, the next.
  std::int64_t epoch_of(std::int64_t step) const;
  std::int64_t step_in_epoch(std::int64_t step) const;
  std::int64_t first_step(std::int64_t epoch) const;
  std::int64_t steps_in(std::int64_t epoch) const;

  // Epochs that are over when `step` begins, with the part of the one it is in.
  double epochs_at(std::int64_t step) const;
  // Time of `step` in steps of epochs with `unit` steps; exactly `step` if all
  // epochs before it have `unit` steps.
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
  std::int64_t steps = 0; // in steps of the first epochs; 0: never
  // In epochs, if epochs have different numbers of steps; 0: `steps` applies.
  double epochs = 0.0;

  // How often it has been done once `step` steps are made.
  std::int64_t times(const Timeline& timeline, std::int64_t step) const;
  // Whether it is done after the step that is the `step`-th.
  bool due(const Timeline& timeline, std::int64_t step) const;
  // Returns the first due step after `step`. Requires an interval that is not
  // "never".
  std::int64_t next(const Timeline& timeline, std::int64_t step) const;
  // Returns true if at least one interval has elapsed between `first` and
  // `step`.
  bool over(const Timeline& timeline, std::int64_t first, std::int64_t step)
      const;
};

} // namespace vitrain::config
