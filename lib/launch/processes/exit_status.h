#pragma once

#include <sys/types.h>

#include <filesystem>
#include <string>

#include "launch/supervise/heartbeat.h"

namespace vitrain::launch {

// How a process ended: by an exit code or by a signal.
struct ExitStatus {
  bool signalled = false;
  int value = 0; // exit code or signal number

  // "ended with exit code 3 (data)", "was killed by signal 9 (SIGKILL)".
  std::string text() const;
};

// Meaning of a worker's end for the run, given whether the worker had reported
// that its work was finished.
enum class Verdict {
  kClean, // 0 after its work was finished, or 75
  kFailed,
  // Exit code 7 or SIGABRT: perhaps only because a peer vanished.
  kPerhapsConsequence,
};
Verdict judge(const ExitStatus& ending, bool done);

// The exit code of a run whose first failure ended like this: its own where the
// program defines it (1 to 8), else 7.
int run_exit_code(const ExitStatus& ending);

// "in set-up", "in step 120" (the step that was being computed), "in
// evaluation after step 500", ...
std::string where(const HeartbeatBlock::Progress& progress);

// Returns the last lines of a log, printable and prefixed by " | ", from at
// most the last 16 KiB after `start` (the begin of this run's part), without
// the banner. "" if there are none.
std::string
last_lines(const std::filesystem::path& log, off_t start, int lines);

// Why a worker ended, by its own words: the last line that begins with
// "error: " and what follows it, at most `lines`, in the same form. Empty when
// it did not say.
std::string
stated_reason(const std::filesystem::path& log, off_t start, int lines);

} // namespace vitrain::launch
