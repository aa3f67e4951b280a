#pragma once

#include <cstdint>
#include <map>
#include <string>

#include <ATen/core/Tensor.h>

#include "engine/run/session.h"
#include "states/store.h"

namespace vitrain::engine {

// Saves the checkpoints of a run and says how that went. One that fails is made
// up for by the next; the last of a run, or that of a stop, is tried again and
// then ends the run.
class CheckpointWriter {
 public:
  explicit CheckpointWriter(Session& session);

  // Step of the newest checkpoint; -1: there is none.
  std::int64_t saved_step() const { return saved_step_; }
  void set_saved_step(std::int64_t step) { saved_step_ = step; }
  // "the last checkpoint is of step 50", or that there is none.
  std::string last_checkpoint() const;

  // Rank 0, before the first step: that there is room for the checkpoints to
  // come and the logs of `steps` more. `optimizer`: its state and averages
  // of the weights, on any device and without content. Throws Error(kStorage).
  void check_storage(
      const std::map<std::string, at::Tensor>& optimizer,
      std::int64_t steps);
  // Rank 0: writes the checkpoint; completes what is the same for all of a run.
  // `is_last`: no later one could make up for it. Returns what was against it,
  // or "". Throws as Reporter::hold().
  std::string write(states::Snapshot snapshot, bool is_last);
  // All ranks, after rank 0's write() of `step` that took so long: reports it.
  // Throws Error(kStorage) where the last one failed.
  void finish(
      const std::string& problem,
      std::int64_t step,
      bool is_last,
      double seconds);

 private:
  Session& session_;
  states::Store store_;
  std::int64_t saved_step_ = -1;
  int failed_saves_ = 0; // in a row
  double bytes_ = 0.0; // of a checkpoint; rank 0
};

} // namespace vitrain::engine
