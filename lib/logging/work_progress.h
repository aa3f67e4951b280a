#pragma once

#include <cstdint>
#include <string>

#include "core/clock.h"
#include "logging/console.h"
#include "logging/terminal_style.h"

namespace vitrain::logging {

// A bar of exactly `width` columns of which `share` (0 to 1) is done: in halves
// of a column with box-drawing characters, else as [===>    ].
std::string work_bar(double share, int width, const TerminalStyle& style);

// Shows how far a piece of work is: "reading ----- 123/1,000  456/s  eta
// 0:12", on a console with a live line only, ten times a second at most.
class WorkProgress {
 public:
  // The console must outlive it.
  WorkProgress(Console& console, std::string what)
      : console_(console), what_(std::move(what)) {}
  ~WorkProgress();
  WorkProgress(const WorkProgress&) = delete;
  WorkProgress& operator=(const WorkProgress&) = delete;

  void update(std::int64_t done, std::int64_t all);

 private:
  Console& console_;
  std::string what_;
  Stopwatch watch_;
  Stopwatch since_drawn_;
  bool drawn_ = false;
};

// The line itself, at most style.columns - 1 wide.
std::string work_line(
    const std::string& what,
    std::int64_t done,
    std::int64_t all,
    double seconds,
    const TerminalStyle& style);

} // namespace vitrain::logging
