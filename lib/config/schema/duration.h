#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace vitrain::config {

// A length of training: `10ep` (epochs), `500st` (optimizer steps) or `0.1dur`
// (fraction of the whole run).
struct Duration {
  enum class Unit { kEpochs, kSteps, kFraction };
  double value = 0.0;
  Unit unit = Unit::kEpochs;

  // Optimizer steps, rounded to the nearest. Requires both arguments > 0.
  std::int64_t steps(std::int64_t steps_per_epoch, std::int64_t total_steps)
      const;
  // "10ep", "500st", "0.1dur": parses back to the same value.
  std::string text() const;
  bool operator==(const Duration&) const = default;
};

// False when `text` is not a duration: a number without a unit, a negative
// number, half a step, or more than the whole run.
bool parse_duration(std::string_view text, Duration& duration);

} // namespace vitrain::config
