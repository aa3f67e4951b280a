#include "config/schema/duration.h"

#include <algorithm>
#include <cmath>

#include "core/ascii.h"
#include "core/text.h"

namespace vitrain::config {
namespace {

// Largest duration: doubles represent whole numbers exactly up to 2^53.
constexpr double kLargest = 9007199254740992.0;

} // namespace

std::int64_t Duration::steps(
    std::int64_t steps_per_epoch,
    std::int64_t total_steps) const {
  double exact = value;
  if (unit == Unit::kEpochs) {
    exact *= static_cast<double>(steps_per_epoch);
  } else if (unit == Unit::kFraction) {
    exact *= static_cast<double>(total_steps);
  }
  return static_cast<std::int64_t>(std::llround(std::min(exact, kLargest)));
}

std::string Duration::text() const {
  const char* suffix = unit == Unit::kEpochs ? "ep"
      : unit == Unit::kSteps                 ? "st"
                                             : "dur";
  return shortest(value) + suffix;
}

bool parse_duration(std::string_view text, Duration& duration) {
  Duration parsed;
  if (text.ends_with("ep")) {
    parsed.unit = Duration::Unit::kEpochs;
    text.remove_suffix(2);
  } else if (text.ends_with("st")) {
    parsed.unit = Duration::Unit::kSteps;
    text.remove_suffix(2);
  } else if (text.ends_with("dur")) {
    parsed.unit = Duration::Unit::kFraction;
    text.remove_suffix(3);
  } else {
    return false;
  }
  const bool starts_well = !text.empty() && is_digit(text.front());
  if (!starts_well || !parse_double(text, parsed.value) ||
      parsed.value > kLargest) {
    return false;
  }
  if (parsed.unit == Duration::Unit::kSteps &&
      parsed.value != std::floor(parsed.value)) {
    return false;
  }
  if (parsed.unit == Duration::Unit::kFraction && parsed.value > 1.0) {
    return false;
  }
  duration = parsed;
  return true;
}

} // namespace vitrain::config
