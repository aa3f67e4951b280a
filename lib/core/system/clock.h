#pragma once

#include <chrono>
#include <string>

namespace vitrain {

// Steady time: never jumps with the wall clock.
class Stopwatch {
 public:
  // Seconds since construction or the last restart().
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

// Seconds on CLOCK_MONOTONIC, which all processes of a machine share.
inline double monotonic_seconds() {
  return std::chrono::duration<double>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

// Local wall-clock time as strftime formats it, e.g. "%Y%m%d-%H%M%S".
std::string local_time(const char* format);

// Seconds since the Unix epoch.
double unix_time();

} // namespace vitrain
