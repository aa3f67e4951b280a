#pragma once

#include <cstdint>
#include <string>

namespace vitrain::launch {

// How an attempt of a run ended whose worker died.
struct Death {
  // In words that are the same when the same happens again; empty: not known,
  // or in set-up, where what is missing may come yet.
  std::string how;
  std::int64_t step = -1; // the furthest that was finished; -1: none
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
  // Why there is none, for people, where it needs to be said; else empty.
  const std::string& reason() const { return reason_; }

 private:
  std::int64_t allowed_;
  std::int64_t in_a_row_ = 0;
  std::int64_t furthest_ = -1;
  Death last_;
  std::string reason_;
};

} // namespace vitrain::launch
