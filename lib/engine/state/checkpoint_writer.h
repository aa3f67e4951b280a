#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <future>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <ATen/core/Tensor.h>

#include "core/system/clock.h"
#include "engine/device/session.h"
#include "engine/state/snapshot_memory.h"
#include "states/store.h"

namespace vitrain::engine {

// Saves the checkpoints of a run, one after the other, and reports failures. A
// failed periodic checkpoint causes a warning; the last one of a run or of a
// stop is tried up to four times, and if it still fails, ends the run. With
// checkpoint.async a thread writes periodic checkpoints; the destructor waits
// for it.
class CheckpointWriter {
 public:
  explicit CheckpointWriter(Session& session);

  // Returns the step of the newest checkpoint that this process has saved or
  // resumed from; -1 if there is none.
  std::int64_t saved_step() const { return saved_step_; }
  void set_saved_step(std::int64_t step) { saved_step_ = step; }
  // Returns the step of the checkpoint that a thread of rank 0 writes, on every
  // rank the same; -1 if there is none.
  std::int64_t pending_step() const { return pending_step_; }
  // Returns "the last checkpoint is of step 50", or that there is none.
  std::string last_checkpoint() const;

  // Rank 0, before this process's first step: checks that there is space for
  // the run's checkpoints and for the logs of `steps` steps, and remembers the
  // size of a checkpoint. `optimizer`: all saved tensors besides the model's,
  // on any device; values are not read. Throws Error(kStorage).
  void check_storage(
      const std::map<std::string, at::Tensor>& optimizer,
      std::int64_t steps);
  // Saves a checkpoint; none may be pending. On rank 0 the snapshot needs
  // everything but the model, its preprocessing and the facts of the session.
  // `is_last`: no later checkpoint follows. `watch`: runs since the state has
  // been collected. The result is reported at once, or, with pending_step(), by
  // settle(). Throws as Observer::hold() does, and Error(kStorage) if it failed
  // and `is_last`. Collective.
  void save(states::Snapshot snapshot, bool is_last, const Stopwatch& watch);
  // Rank 0: true if a checkpoint is pending and settle() would not wait.
  bool is_written() const;
  // Waits for the pending checkpoint, if any, and reports its result. Throws as
  // Observer::hold() does. Collective.
  void settle();

 private:
  struct Result {
    std::string problem; // "": success
    std::vector<std::string> warnings{};
    SaveTimes times{};
  };

  void complete(states::Snapshot& snapshot) const;
  // Tries once to write a checkpoint and to copy it to the mirror. Any thread
  // may call, one at a time.
  Result write_once(const states::Snapshot& snapshot);
  // Copies a checkpoint to checkpoint.mirror, if set. Returns a warning about
  // old checkpoints there that cannot be removed, or about the first failure in
  // a row; otherwise "".
  std::string mirror(const std::filesystem::path& checkpoint);
  // Writes a checkpoint; the last one is tried several times.
  Result write(const states::Snapshot& snapshot, bool is_last);
  // Copies a checkpoint and starts a thread that writes it; without memory or a
  // thread for that, writes it.
  void begin(states::Snapshot snapshot, const Stopwatch& watch);
  // Reports rank 0's result on all ranks; on success sets saved_step().
  // Collective.
  void report(Result result, std::int64_t step, bool is_last);

  Session& session_;
  SnapshotMemory memory_;
  states::Store store_;
  std::int64_t saved_step_ = -1;
  std::int64_t pending_step_ = -1;
  double blocked_ = 0.0; // seconds in which training waited for pending_step_
  bool mirror_failed_ = false; // at the last checkpoint
  int failed_saves_ = 0; // number of failed saves in a row
  double bytes_ = 0.0; // size of a checkpoint; rank 0 only
  // Result of the pending checkpoint; rank 0 only. Last: its destructor waits
  // for the thread.
  std::future<Result> pending_;
};

} // namespace vitrain::engine
