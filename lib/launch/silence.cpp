#include "launch/silence.h"

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

std::optional<Silence> find_stuck(const std::vector<Silence>& workers) {
  std::optional<Silence> worst;
  for (const Silence& one : workers) {
    const bool waits =
        std::any_of(workers.begin(), workers.end(), [&](const Silence& other) {
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
