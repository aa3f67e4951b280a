#pragma once

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

namespace vitrain::launch {

// How a worker of this machine failed.
struct Failure {
  int rank = 0;
  int exit_code = 0;
  std::string cause; // "was killed by signal 9 (SIGKILL) in step 12"
  std::string kind; // the same without what differs from time to time
  std::string hint; // further lines
  double time = 0; // when it was seen
  double failed = 0; // when it happened, by the worker's word or else as seen
};

// A failure in one line: what the worker stated (lines of its log as
// stated_reason() gives them), else how it ended.
std::string short_reason(const Failure& failure, const std::string& stated);

// Removes and returns the earliest failure of at least one: a worker that lost
// its peer failed later, whatever the order in which their ends were seen.
inline Failure take_first_to_fail(std::vector<Failure>& failures) {
  const auto first = std::ranges::min_element(failures, {}, &Failure::failed);
  Failure failure = std::move(*first);
  failures.erase(first);
  return failure;
}

} // namespace vitrain::launch
