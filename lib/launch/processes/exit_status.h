#pragma once

#include <sys/types.h>

#include <filesystem>
#include <string>

#include "launch/processes/heartbeat.h"

namespace vitrain::launch {

// How a process ended: by an exit code or by a signal.
struct ExitStatus {
  bool signalled = false;
  int value = 0; // exit code or signal number

  // Returns "ended with exit code 3 (data)", "was killed by signal 9
  // (SIGKILL)".
  std::string text() const;
};

// Meaning of a worker's end for the run.
enum class Verdict {
  kClean, // exit code 0 after Heartbeat::done(), or 75 (kStopped)
  kFailed,
  // Perhaps only because a peer is gone: exit code 7 (kWorkerDied), or SIGABRT
  // for an exception that the worker has reported (Heartbeat::failed()).
  kPerhapsConsequence,
};
Verdict judge(
    const ExitStatus& ending,
    const HeartbeatBlock::Progress& progress);

// Returns the exit code of a run whose first failure is `ending`: the worker's
// own exit code if vitrain defines it (1 to 8), else 7 (kWorkerDied).
int run_exit_code(const ExitStatus& ending);

// Returns where a worker is: "in set-up", "in step 120" (the step that it
// computes), "in evaluation after step 500", ...
std::string where(const HeartbeatBlock::Progress& progress);
// Returns where() with the part of the work, if that is known: "in step 120
// (loading a batch: it reads /data/1.jpg)".
std::string where_exactly(const HeartbeatBlock::Progress& progress);

// Returns the last lines of a log, at most `lines`, printable and each after
// two blanks, a bar and a blank. Reads at most the last 16 KiB after offset
// `start`, where this run's part begins, before offset `end` (-1: all), and
// leaves out the banner. "" if there are none or the log cannot be read.
std::string last_lines(
    const std::filesystem::path& log,
    off_t start,
    int lines,
    off_t end = -1);

// Returns the reason that a worker logged for its end: the last line that
// begins with "error: " and what follows it, together at most max(1, `lines`)
// lines, in the form of last_lines(). "" if there is none.
std::string
stated_reason(const std::filesystem::path& log, off_t start, int lines);

} // namespace vitrain::launch
