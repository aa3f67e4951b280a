#pragma once

#include <cstdint>
#include <map>
#include <string>

#include <ATen/core/Tensor.h>

#include "engine/device/session.h"
#include "states/store.h"

namespace vitrain::engine {

// Saves the checkpoints of a run and reports failures. A failed periodic
// checkpoint causes a warning; the last one of a run or of a stop is tried up
// to four times, and if it still fails, ends the run.
class CheckpointWriter {
 public:
  explicit CheckpointWriter(Session& session);

  // Returns the step of the newest checkpoint that this process has saved or
  // resumed from; -1 if there is none.
  std::int64_t saved_step() const { return saved_step_; }
  void set_saved_step(std::int64_t step) { saved_step_ = step; }
  // Returns "the last checkpoint is of step 50", or that there is none.
  std::string last_checkpoint() const;

  // Rank 0, before this process's first step: checks that there is space for
  // the run's checkpoints and for the logs of `steps` steps, and remembers the
  // size of a checkpoint. `optimizer`: all saved tensors besides the model's,
  // on any device; values are not read. Throws Error(kStorage).
  void check_storage(
      const std::map<std::string, at::Tensor>& optimizer,
      std::int64_t steps);
  // Rank 0: adds the model, its preprocessing and the facts of the session to
  // the snapshot, and writes the checkpoint. `is_last`: no later checkpoint
  // follows. Returns a description of the problem, "" on success. Throws as
  // Observer::hold() does.
  std::string write(states::Snapshot snapshot, bool is_last);
  // Call on all ranks after rank 0's write() of `step`: reports its result
  // `problem` and the `seconds` that the checkpoint took; on success sets
  // saved_step(). Throws Error(kStorage) if it failed and `is_last`.
  void finish(
      const std::string& problem,
      std::int64_t step,
      bool is_last,
      double seconds);

 private:
  Session& session_;
  states::Store store_;
  std::int64_t saved_step_ = -1;
  int failed_saves_ = 0; // number of failed saves in a row
  double bytes_ = 0.0; // size of a checkpoint; rank 0 only
};

} // namespace vitrain::engine
