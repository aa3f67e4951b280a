#pragma once

#include <cstdint>

#include "core/clock.h"
#include "data/loader.h"
#include "dist/group.h"
#include "dist/traffic.h"
#include "engine/reporter.h"
#include "engine/train_step.h"

namespace vitrain::engine {

// What this worker has done since the last report.
class Interval {
 public:
  // The samples of a micro-batch, whose first one has place `first` in the
  // step's global batch.
  void add(const data::Batch& batch, std::int64_t first);
  void end_step(const dist::Traffic& traffic);
  std::int64_t steps() const { return steps_; }
  // The time since the last report or restart was not training: it does not
  // count.
  void restart_clock() { clock_.restart(); }

  // Sums over all workers, and a new interval begins. Fills all of a report
  // but what is of the last step alone or of the whole run: step, epoch, batch,
  // lr, grad_norm, bad_samples. Collective.
  TrainReport report(
      dist::Group& control,
      const TrainSums& sums,
      const data::Loader& loader,
      std::int64_t replaced);

 private:
  Stopwatch clock_;
  std::int64_t steps_ = 0;
  std::int64_t hash_ = 0; // of this rank's samples and their places
  dist::Traffic traffic_;
  // Of the loader when the interval began.
  double wait_before_ = 0.0;
  std::int64_t warnings_before_ = 0;
};

} // namespace vitrain::engine
