#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "launch/supervise/heartbeat.h"

namespace vitrain::launch {

// Seconds that a worker may go without a heartbeat, by section; 0: no limit.
struct SectionTimeouts {
  double setup = 600;
  double step = 300;
  double eval = 600;
  double checkpoint = 600;
  double shutdown = 60; // from its last beat to its end

  double of(Section section) const;
};

// A running worker since its last heartbeat.
struct HeartbeatAge {
  int rank = 0;
  std::int64_t step = 0;
  double seconds = 0;
  double limit = 0; // 0: none

  bool over() const { return limit > 0 && seconds > limit; }
};

// Returns the worker that blocks the others, if any: of the workers silent for
// longer than their limit, the one furthest behind; of several, the longest
// silent. A worker that may be waiting for another one that is not ahead and
// within its own limit (such as rank 0 writing a checkpoint) is not blamed.
std::optional<HeartbeatAge> find_stalled(
    const std::vector<HeartbeatAge>& workers);

} // namespace vitrain::launch
