#include "checkpoint/retention.h"

#include <algorithm>
#include <cmath>
#include <set>

namespace vitrain::checkpoint {
namespace {

// Best first, of equal ones the earliest; only those with a metric.
std::vector<Candidate> ranked(
    const std::vector<Candidate>& candidates,
    const RetentionOptions& options) {
  std::vector<Candidate> list;
  for (const Candidate& candidate : candidates) {
    if (candidate.metric && !std::isnan(*candidate.metric)) {
      list.push_back(candidate);
    }
  }
  std::sort(
      list.begin(), list.end(), [&](const Candidate& a, const Candidate& b) {
        if (*a.metric != *b.metric) {
          return (*a.metric < *b.metric) == options.smaller_is_better;
        }
        return a.step < b.step;
      });
  return list;
}

} // namespace

std::optional<std::int64_t> best_step(
    const std::vector<Candidate>& candidates,
    const RetentionOptions& options) {
  const std::vector<Candidate> list = ranked(candidates, options);
  return list.empty() ? std::nullopt : std::optional(list.front().step);
}

std::vector<std::int64_t> to_remove(
    std::vector<Candidate> candidates,
    const RetentionOptions& options,
    std::int64_t protect) {
  std::sort(
      candidates.begin(),
      candidates.end(),
      [](const Candidate& a, const Candidate& b) { return a.step > b.step; });
  std::set<std::int64_t> kept = {protect};
  for (std::size_t i = 0; i < candidates.size() &&
       static_cast<std::int64_t>(i) < options.keep_last;
       ++i) {
    kept.insert(candidates[i].step);
  }
  const std::vector<Candidate> best = ranked(candidates, options);
  for (std::size_t i = 0;
       i < best.size() && static_cast<std::int64_t>(i) < options.keep_best;
       ++i) {
    kept.insert(best[i].step);
  }
  std::vector<std::int64_t> removed;
  for (auto it = candidates.rbegin(); it != candidates.rend(); ++it) {
    if (!kept.contains(it->step)) {
      removed.push_back(it->step);
    }
  }
  return removed;
}

} // namespace vitrain::checkpoint
