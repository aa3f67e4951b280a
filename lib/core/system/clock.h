#pragma once

#include <chrono>
#include <string>

namespace vitrain {

// Measures time with a steady clock, which never jumps with the wall clock.
class Stopwatch {
 public:
  // Returns the seconds since construction or the last restart().
  double seconds() const {
    return std::chrono::duration<double>(Clock::now() - start_).count();
  }
  // Returns the seconds so far and starts again.
  double restart() {
    const auto now = Clock::now();
    const double elapsed = std::chrono::duration<double>(now - start_).count();
    start_ = now;
    return elapsed;
  }

 private:
  using Clock = std::chrono::steady_clock;
  Clock::time_point start_ = Clock::now();
};

// Returns seconds on CLOCK_MONOTONIC, which all processes of a machine share.
inline double monotonic_seconds() {
  return std::chrono::duration<double>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

// Returns the local wall-clock time in strftime's `format`, e.g.
// "%Y%m%d-%H%M%S"; "" if the text has more than 63 bytes.
std::string local_time(const char* format);

// Returns the seconds since the Unix epoch.
double unix_time();

} // namespace vitrain
