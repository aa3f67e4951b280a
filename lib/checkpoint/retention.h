#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace vitrain::checkpoint {

struct RetentionOptions {
  std::int64_t keep_last = 2; // newest to keep, at least 1
  std::int64_t keep_best = 1; // best to keep as well
  bool smaller_is_better = false;
  std::string metric_name; // whose values compare with each other
};

// A checkpoint as retention sees it.
struct Candidate {
  std::int64_t step = 0;
  std::optional<double> metric; // none, NaN or of another name: never best
};

// Step of the best candidate, of equal ones the earliest; none when no
// candidate has a metric.
std::optional<std::int64_t> best_step(
    const std::vector<Candidate>& candidates,
    const RetentionOptions& options);

// Steps to remove, ascending: all but the newest keep_last, the best keep_best
// and `protect`.
std::vector<std::int64_t> to_remove(
    std::vector<Candidate> candidates,
    const RetentionOptions& options,
    std::int64_t protect);

} // namespace vitrain::checkpoint
