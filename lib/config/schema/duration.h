#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace vitrain::config {

// Length or part of the training: `10ep` (epochs), `500st` (optimizer steps) or
// `0.1dur` (fraction of the whole run).
struct Duration {
  enum class Unit { kEpochs, kSteps, kFraction };
  double value = 0.0;
  Unit unit = Unit::kEpochs;

  // Returns the number of optimizer steps, rounded to the nearest, at most
  // 2^53. Both arguments must be > 0.
  std::int64_t steps(std::int64_t steps_per_epoch, std::int64_t total_steps)
      const;
  // Returns "10ep", "500st" or "0.1dur", which parses back to the same value.
  std::string text() const;
  bool operator==(const Duration&) const = default;
};

// Returns false and leaves `duration` unchanged if `text` is not a duration: no
// unit, negative, above 2^53, a fraction of a step, or more than 1dur.
bool parse_duration(std::string_view text, Duration& duration);

} // namespace vitrain::config
