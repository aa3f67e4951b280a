#pragma once

#include <cstdint>
#include <string>

#include "core/enum_names.h"
#include "core/system/clock.h"
#include "core/system/files.h"
#include "core/system/stacks.h"
#include "launch/processes/descriptors.h"

namespace vitrain::launch {

// Activity of a worker, which determines its time limit. The numbers are only
// for debuggers: supervisor and workers are always of the same build.
enum class RunPhase : std::uint32_t {
  kSetup = 0,
  kStep = 1,
  kEval = 2,
  kCheckpoint = 3,
  kDone = 4, // all work is finished: exit code 0 is a success from here on
};

constexpr auto names_of(RunPhase) {
  using enum RunPhase;
  return enum_names<RunPhase>(
      {{kSetup, "set-up"},
       {kStep, "step"},
       {kEval, "evaluation"},
       {kCheckpoint, "checkpoint"},
       {kDone, "shutdown"}});
}

// Heartbeats of all local workers in shared memory, as the supervisor reads
// them.
class HeartbeatBlock {
 public:
  // Every worker starts in set-up, at step -1, with a heartbeat now. Throws
  // Error(kInternal).
  explicit HeartbeatBlock(int local_ranks);

  // Returns the descriptor that the workers inherit.
  int fd() const { return fd_.get(); }

  struct Progress {
    RunPhase phase = RunPhase::kSetup;
    std::int64_t step = -1; // finished steps; -1: none reported yet
    std::uint64_t beats = 0;
    double last_beat = 0; // monotonic_seconds()
    // monotonic_seconds() of the call of Heartbeat::failed(); 0: not called.
    double failed = 0;
    std::string part; // part of the work (Doing); "": unknown
    bool waits = false; // the worker waits for other workers
    std::int64_t collectives = 0; // begun so far
    Stacks stacks = Stacks::kNever;
  };
  Progress progress(int local_rank) const;

 private:
  Fd fd_;
  Mapping pulses_;
};

// A worker's access to its heartbeat. Its constructor, enter(), beat() and
// done() report progress: call them where work has been done, never from a
// timer. Any thread may call; nothing blocks or throws.
class Heartbeat {
 public:
  // For a worker without a supervisor: its functions do nothing.
  Heartbeat() = default;
  // Throws Error(kInternal) if `fd` is not a supervisor's block for
  // `local_ranks` workers.
  Heartbeat(int fd, int local_rank, int local_ranks);

  // Reports, from here on, what the calling thread does (Doing), and the stacks
  // of all threads on request. The object must outlive the process's threads.
  void lead();
  void enter(RunPhase phase);
  // Reports progress within the phase; `step` is the number of finished
  // steps.
  void beat(std::int64_t step);
  void beat();
  // Reports that all work is finished. Exit code 0 without this call is a
  // failure.
  void done() { enter(RunPhase::kDone); }
  // Records that this worker fails. Call it before closing connections, which
  // makes other workers fail: the earliest call among the workers identifies
  // the cause. Only the first call of a worker counts.
  void failed();

 private:
  Mapping pulses_;
  int rank_ = 0;
};

} // namespace vitrain::launch
