#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace vitrain::config {

// Length or part of the training: `10ep` (epochs), `500st` (optimizer steps) or
// `0.1dur` (fraction of the whole run); or a time: `3h50m`, `30min`, `90s`.
struct Duration {
  enum class Unit { kEpochs, kSteps, kFraction, kSeconds };
  double value = 0.0;
  Unit unit = Unit::kEpochs;

  bool is_time() const { return unit == Unit::kSeconds; }
  // Returns the number of optimizer steps, rounded to the nearest, at most
  // 2^53. Both arguments must be > 0; not for a time.
  std::int64_t steps(std::int64_t steps_per_epoch, std::int64_t total_steps)
      const;
  // Returns "10ep", "500st", "0.1dur" or "3h50min", which parses back to the
  // same value.
  std::string text() const;
  bool operator==(const Duration&) const = default;
};

// Returns false and leaves `duration` unchanged if `text` is not a duration: no
// unit, negative, above 2^53, steps with a fraction, a time between 0 and 1 ms,
// or more than 1dur. The units of a time are d, h, m or min, and s, in this
// order, each at most once.
bool parse_duration(std::string_view text, Duration& duration);

} // namespace vitrain::config
