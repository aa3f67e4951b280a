#pragma once

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

namespace vitrain::launch {

class WorkerProcesses;

// Failure of a worker of this machine.
struct Failure {
  int rank = 0;
  int exit_code = 0; // of the run if this failure ends it
  std::string cause; // "was killed by signal 9 (SIGKILL) in step 12"
  std::string kind; // cause without details that differ between equal failures
  std::string hint; // further lines for the user
  double time = 0; // monotonic_seconds() at which the supervisor saw it
  // monotonic_seconds() at which it happened: as reported by the worker, else
  // `time`; 0 for a worker that was stopped or silent.
  double failed = 0;
};

// Returns the failure in one line, after the rank: the first line of `stated`,
// the worker's own reason from stated_reason(), or if that is "", how the
// worker ended.
std::string short_reason(const Failure& failure, const std::string& stated);

// Returns a report for the user: how the worker of `first` failed, then those
// of `others` (at most 16), each with the reason that it logged, or without
// one, the last lines of its log: at most `lines` for `first`, 5 for each
// other.
std::string failure_report(
    const WorkerProcesses& workers,
    const Failure& first,
    const std::vector<Failure>& others,
    int lines);

// Returns where each worker (at most 16) is and for how long it has given no
// sign of life at `now`, from monotonic_seconds().
std::string progress_table(const WorkerProcesses& workers, double now);

// Removes and returns the failure that happened first; there must be one. A
// worker that lost its peer failed later than the peer, whatever the order in
// which the supervisor saw their ends.
inline Failure take_first_to_fail(std::vector<Failure>& failures) {
  const auto first = std::ranges::min_element(failures, {}, &Failure::failed);
  Failure failure = std::move(*first);
  failures.erase(first);
  return failure;
}

} // namespace vitrain::launch
