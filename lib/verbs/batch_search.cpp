#include "verbs/batch_search.h"

#include <algorithm>
#include <map>

#include "core/error.h"
#include "core/system/clock.h"

namespace vitrain::verbs {
namespace {

class Search {
 public:
  Search(const BatchLimits& limits, const TryBatch& try_batch)
      : limits_(limits), try_batch_(try_batch) {}

  BatchFound run(std::int64_t start) {
    std::int64_t batch = std::min(start, limits_.largest);
    while (batch > 1 && !is_over() && !fits(batch)) {
      batch /= 2;
    }
    if (found_.fits == 0 && !is_over()) {
      fits(batch);
    }
    while (found_.fits > 0 && found_.too_large == 0 &&
           found_.fits < limits_.largest && !is_over()) {
      fits(std::min(2 * found_.fits, limits_.largest));
    }
    while (found_.fits > 0 && found_.too_large > 0 && !is_over() &&
           found_.too_large - found_.fits >
               std::max<std::int64_t>(1, found_.fits / 8)) {
      fits(found_.fits + (found_.too_large - found_.fits) / 2);
    }
    return found_;
  }

 private:
  bool is_over() {
    found_.out_of_time =
        found_.out_of_time || clock_.seconds() > limits_.seconds;
    return found_.out_of_time || !found_.problem.empty();
  }

  // Returns the estimated bytes for a batch, from the line through the two
  // largest batches tried. With one trial, assumes that all of its bytes grow
  // with the batch, and that a smaller batch needs as many. nullopt without
  // trials.
  std::optional<double> expected(std::int64_t batch) const {
    if (memory_.empty()) {
      return std::nullopt;
    }
    const auto [last, of_last] = *memory_.rbegin();
    const auto size = static_cast<double>(batch);
    const auto bytes = static_cast<double>(of_last);
    if (memory_.size() == 1) {
      return batch > last ? bytes * size / static_cast<double>(last) : bytes;
    }
    const auto [before, of_before] = *std::next(memory_.rbegin());
    const double slope = (bytes - static_cast<double>(of_before)) /
        static_cast<double>(last - before);
    return bytes + std::max(0.0, slope) * (size - static_cast<double>(last));
  }

  bool would_not_fit(std::int64_t batch) {
    const auto bytes = expected(batch);
    if (!limits_.memory || !bytes ||
        *bytes <= static_cast<double>(*limits_.memory)) {
      return false;
    }
    // One trial does not show how much memory is independent of the batch.
    if (memory_.size() == 1 && found_.fits > 1 && !is_over()) {
      measure(found_.fits / 2);
      return would_not_fit(batch);
    }
    return true;
  }

  std::optional<std::int64_t> measure(std::int64_t batch) {
    ++found_.trials;
    std::optional<std::int64_t> bytes;
    try {
      bytes = try_batch_(batch);
    } catch (const Error& error) {
      if (error.code() > ExitCode::kStopped) { // by a signal
        throw;
      }
      found_.problem = error.what();
    }
    if (bytes) {
      memory_[batch] = *bytes;
    }
    return bytes;
  }

  bool fits(std::int64_t batch) {
    std::optional<std::int64_t> bytes;
    if (!would_not_fit(batch)) {
      bytes = measure(batch);
    }
    if (!found_.problem.empty()) {
      return false;
    }
    if (!bytes || (limits_.memory && *bytes > *limits_.memory)) {
      found_.too_large =
          found_.too_large == 0 ? batch : std::min(found_.too_large, batch);
      return false;
    }
    if (batch > found_.fits) {
      found_.fits = batch;
      found_.memory = *bytes;
    }
    return true;
  }

  const BatchLimits& limits_;
  const TryBatch& try_batch_;
  Stopwatch clock_;
  BatchFound found_;
  std::map<std::int64_t, std::int64_t> memory_; // bytes by batch size
};

} // namespace

BatchFound search_largest_batch(
    std::int64_t start,
    const BatchLimits& limits,
    const TryBatch& try_batch) {
  return Search(limits, try_batch).run(start);
}

} // namespace vitrain::verbs
