#include "launch/supervise/stall.h"

#include <algorithm>

namespace vitrain::launch {

double PhaseTimeouts::of(RunPhase phase) const {
  switch (phase) {
    case RunPhase::kSetup:
      return setup;
    case RunPhase::kStep:
      return step;
    case RunPhase::kEval:
      return eval;
    case RunPhase::kCheckpoint:
      return checkpoint;
    case RunPhase::kDone:
      return shutdown;
  }
  return 0;
}

std::optional<HeartbeatAge> find_stalled(
    const std::vector<HeartbeatAge>& workers) {
  std::optional<HeartbeatAge> worst;
  for (const HeartbeatAge& one : workers) {
    const bool waits = std::any_of(
        workers.begin(), workers.end(), [&](const HeartbeatAge& other) {
          return !other.over() && other.step <= one.step;
        });
    if (!one.over() || waits) {
      continue;
    }
    if (!worst || one.step < worst->step ||
        (one.step == worst->step && one.seconds > worst->seconds)) {
      worst = one;
    }
  }
  return worst;
}

} // namespace vitrain::launch
