#include "launch/supervise/stall.h"

#include <algorithm>

namespace vitrain::launch {

double SectionTimeouts::of(Section section) const {
  switch (section) {
    case Section::kSetup:
      return setup;
    case Section::kStep:
      return step;
    case Section::kEval:
      return eval;
    case Section::kCheckpoint:
      return checkpoint;
    case Section::kDone:
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
