#pragma once

#include <cstdint>
#include <string>

#include <fmt/format.h>

namespace vitrain::results {

// Returns part / whole; 0 if `whole` is 0.
inline double share_of(std::int64_t part, std::int64_t whole) {
  return whole == 0 ? 0.0
                    : static_cast<double>(part) / static_cast<double>(whole);
}

// Returns "97.30 %" for 0.973.
inline std::string percent_text(double share) {
  return fmt::format("{:.2f} %", 100 * share);
}

} // namespace vitrain::results
