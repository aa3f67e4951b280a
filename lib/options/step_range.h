#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>

#include "core/text.h"

namespace vitrain {

// Range of optimizer steps, counted from 1, both ends included.
struct StepRange {
  std::int64_t first = 0;
  std::int64_t last = 0;

  bool contains(std::int64_t step) const {
    return first <= step && step <= last;
  }
};

// Parses "12" or "10-12" into `range`. Returns what is wrong with `text`, for
// example more than `most` steps; "" if it is valid. Mistakes may leave `range`
// half changed.
inline std::string
parse_step_range(const std::string& text, StepRange& range, std::int64_t most) {
  const std::size_t dash = text.find('-');
  const std::string last =
      dash == std::string::npos ? text : text.substr(dash + 1);
  if (!parse_int(text.substr(0, dash), range.first) ||
      !parse_int(last, range.last)) {
    return "it is neither a step nor two of them";
  }
  if (range.first < 1) {
    return "the first step is 1";
  }
  if (range.last < range.first) {
    return "it ends before it begins";
  }
  return range.last - range.first < most
      ? ""
      : "it has more than " + std::to_string(most) + " steps";
}

// Returns the range in a text that parse_step_range() accepts; for nullopt, a
// range that contains no step.
inline StepRange steps_of(const std::optional<std::string>& text) {
  StepRange range;
  if (text) {
    parse_step_range(*text, range, std::numeric_limits<std::int64_t>::max());
  }
  return range;
}

} // namespace vitrain
