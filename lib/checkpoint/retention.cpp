#include "checkpoint/retention.h"

#include <algorithm>
#include <cmath>
#include <ranges>
#include <set>
#include <utility>

namespace vitrain::checkpoint {
namespace {

// Returns the candidates that have a metric, best first; among equal ones the
// earliest first.
std::vector<Candidate> ranked(
    const std::vector<Candidate>& candidates,
    const RetentionOptions& options) {
  std::vector<Candidate> list;
  for (const Candidate& candidate : candidates) {
    if (candidate.metric && !std::isnan(*candidate.metric)) {
      list.push_back(candidate);
    }
  }
  std::ranges::sort(list, {}, [&](const Candidate& candidate) {
    const double sign = options.smaller_is_better ? 1.0 : -1.0;
    return std::pair(sign * *candidate.metric, candidate.step);
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
  std::ranges::sort(candidates, {}, &Candidate::step);
  std::set<std::int64_t> kept = {protect};
  const auto keep = [&](auto&& best_first, std::int64_t count) {
    for (const Candidate& candidate : best_first | std::views::take(count)) {
      kept.insert(candidate.step);
    }
  };
  keep(candidates | std::views::reverse, options.keep_last);
  keep(ranked(candidates, options), options.keep_best);
  std::int64_t ended = 0; // periods before the last one that is kept
  for (const Candidate& candidate : candidates) {
    const std::int64_t now =
        options.periods ? options.periods(candidate.step) : 0;
    if (now > ended) {
      kept.insert(candidate.step);
      ended = now;
    }
  }
  std::vector<std::int64_t> removed;
  for (const Candidate& candidate : candidates) {
    if (!kept.contains(candidate.step)) {
      removed.push_back(candidate.step);
    }
  }
  return removed;
}

} // namespace vitrain::checkpoint
