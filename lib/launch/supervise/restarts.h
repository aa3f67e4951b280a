#pragma once

#include <cstdint>
#include <string>

namespace vitrain::launch {

// End of an attempt of a run in which a worker died.
struct Death {
  // Description of the failure, equal for equal failures; empty if unknown, or
  // during set-up, where a missing resource may still appear.
  std::string how;
  std::int64_t step = -1; // last completed step; -1: none
};

// Decides whether a failed run is started again: at most `allowed` times in a
// row without more progress than before, and not after two deaths in a row of
// the same kind at the same step, since the run would die there again.
class Restarts {
 public:
  explicit Restarts(std::int64_t allowed) : allowed_(allowed) {}

  // Records a death. Returns true if the run is to be started again.
  bool after(const Death& death);

  // Returns the number of restarts without progress, including the next one: 1,
  // 2, ...
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
