#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "launch/processes/heartbeat.h"

namespace vitrain::launch {

// Seconds that a worker may go without a heartbeat, by phase; 0: no limit.
struct PhaseTimeouts {
  double setup = 600;
  double step = 300;
  double eval = 600;
  double checkpoint = 600;
  double shutdown = 60; // from the worker's last heartbeat to its end

  double of(RunPhase phase) const;
};

// Time since the last heartbeat of a running worker.
struct HeartbeatAge {
  int rank = 0;
  std::int64_t step = 0; // finished steps
  double seconds = 0;
  double limit = 0; // 0: none
  bool waits = false; // for other workers
  std::int64_t collectives = 0; // begun so far

  bool over() const { return limit > 0 && seconds > limit; }
};

// Returns the worker that blocks the other workers; nullopt if none does.
// Candidates have been silent for longer than their limit. A candidate is
// cleared if some worker within its own limit has finished no more steps than
// the candidate, which may be waiting for that worker (for example for rank 0,
// which writes a checkpoint). Of the remaining candidates, returns one that
// does not wait (HeartbeatAge::waits), if there is any; of several, the one
// with the fewest steps, then with the fewest collectives, then the one silent
// for longest.
std::optional<HeartbeatAge> find_stalled(
    const std::vector<HeartbeatAge>& workers);

} // namespace vitrain::launch
