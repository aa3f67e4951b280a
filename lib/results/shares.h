#pragma once

#include <cstdint>
#include <string>

#include <fmt/format.h>

namespace vitrain::results {

// 0 of nothing.
inline double share_of(std::int64_t part, std::int64_t whole) {
  return whole == 0 ? 0.0
                    : static_cast<double>(part) / static_cast<double>(whole);
}

// "97.30 %".
inline std::string percent_text(double share) {
  return fmt::format("{:.2f} %", 100 * share);
}

} // namespace vitrain::results
