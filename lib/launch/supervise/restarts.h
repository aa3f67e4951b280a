#pragma once

#include <cstdint>
#include <string>

namespace vitrain::launch {

// How an attempt of a run ended whose worker died.
struct Death {
  // Description of the failure, equal for equal failures; empty if unknown, or
  // during set-up, where a missing resource may still appear.
  std::string how;
  std::int64_t step = -1; // last completed step; -1: none
};

// Decides whether a run is started again: as often as allowed without getting
// further than before, and not when it has died twice in the same way at the
// same step, since it would die there again.
class Restarts {
 public:
  explicit Restarts(std::int64_t allowed) : allowed_(allowed) {}

  // Takes note of a death. Whether to start again.
  bool after(const Death& death);

  // Restarts without progress, the coming one included: 1, 2, ...
  std::int64_t in_a_row() const { return in_a_row_; }
  // Reason for not restarting, for the user; "" if none needs to be given.
  const std::string& reason() const { return reason_; }

 private:
  std::int64_t allowed_;
  std::int64_t in_a_row_ = 0;
  std::int64_t furthest_ = -1;
  Death last_;
  std::string reason_;
};

} // namespace vitrain::launch
