#include "launch/supervise/stall.h"

#include <algorithm>
#include <tuple>

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
  const auto order = [](const HeartbeatAge& one) {
    return std::tuple(one.waits, one.step, one.collectives, -one.seconds);
  };
  std::optional<HeartbeatAge> worst;
  for (const HeartbeatAge& one : workers) {
    const bool may_wait = std::any_of(
        workers.begin(), workers.end(), [&](const HeartbeatAge& other) {
          return !other.over() && other.step <= one.step;
        });
    if (one.over() && !may_wait && (!worst || order(one) < order(*worst))) {
      worst = one;
    }
  }
  return worst;
}

} // namespace vitrain::launch
