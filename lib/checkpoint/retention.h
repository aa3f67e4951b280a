#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace vitrain::checkpoint {

struct RetentionOptions {
  // Number of newest checkpoints to keep, at least 1.
  std::int64_t keep_last = 2;
  // Number of best checkpoints to keep; they may be among the newest.
  std::int64_t keep_best = 1;
  bool smaller_is_better = false;
  // Metric whose values are compared (Snapshot::metric_name); "": unknown,
  // values of all checkpoints are compared.
  std::string metric_name;
  // Returns how many periods have ended at a step; the first checkpoint at or
  // after the end of each period is kept. Null: no periods.
  std::function<std::int64_t(std::int64_t step)> periods{};
};

// A checkpoint to be kept or removed.
struct Candidate {
  std::int64_t step = 0;
  // nullopt, NaN, or a value of another metric: never best.
  std::optional<double> metric;
};

// Returns the step of the best candidate, the earliest of equal ones; nullopt
// if every metric is nullopt or NaN.
std::optional<std::int64_t> best_step(
    const std::vector<Candidate>& candidates,
    const RetentionOptions& options);

// Returns the steps to remove, ascending: all except the newest keep_last, the
// best keep_best, the first one of each period and the step `protect`.
std::vector<std::int64_t> to_remove(
    std::vector<Candidate> candidates,
    const RetentionOptions& options,
    std::int64_t protect);

} // namespace vitrain::checkpoint
