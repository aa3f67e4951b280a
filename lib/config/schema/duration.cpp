#include "config/schema/duration.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <optional>

#include "core/ascii.h"
#include "core/text.h"

namespace vitrain::config {
namespace {

// Largest duration: doubles represent whole numbers exactly up to 2^53.
constexpr double kLargest = 9007199254740992.0;

struct TimeUnit {
  std::string_view name;
  double seconds;
};
constexpr TimeUnit kTimeUnits[] =
    {{"d", 86400.0}, {"h", 3600.0}, {"min", 60.0}, {"m", 60.0}, {"s", 1.0}};

// Returns the seconds of "3h50m"; nullopt for any other text, or if out of
// range.
std::optional<double> parse_time(std::string_view text) {
  double total = 0.0;
  double above = kLargest; // seconds of the previous, larger unit
  do {
    const std::size_t end = text.find_first_not_of("0123456789.");
    double count = 0.0;
    if (end == text.npos || end == 0 || !is_digit(text.front()) ||
        !parse_double(text.substr(0, end), count)) {
      return std::nullopt;
    }
    text.remove_prefix(end);
    const auto* unit = std::ranges::find_if(
        kTimeUnits, [&](auto& one) { return text.starts_with(one.name); });
    if (unit == std::end(kTimeUnits) || unit->seconds >= above) {
      return std::nullopt;
    }
    above = unit->seconds;
    total += count * unit->seconds;
    text.remove_prefix(unit->name.size());
  } while (!text.empty());
  const bool fits = total == 0.0 || (total >= 1e-3 && total <= kLargest);
  return fits ? std::optional(total) : std::nullopt;
}

// Returns "3h50min", "90.5s".
std::string time_text(double seconds) {
  if (seconds != std::floor(seconds) || seconds == 0.0) {
    return shortest(seconds) + "s";
  }
  const auto whole = static_cast<std::int64_t>(seconds);
  const auto part = [](std::int64_t count, const char* unit) {
    return count == 0 ? "" : std::to_string(count) + unit;
  };
  return part(whole / 3600, "h") + part(whole / 60 % 60, "min") +
      part(whole % 60, "s");
}

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
  if (is_time()) {
    return time_text(value);
  }
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
  } else if (const auto seconds = parse_time(text)) {
    duration = {.value = *seconds, .unit = Duration::Unit::kSeconds};
    return true;
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
