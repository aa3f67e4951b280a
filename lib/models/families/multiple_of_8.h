#pragma once

#include <algorithm>
#include <cstdint>

namespace vitrain::models {

// Returns timm's make_divisible: the nearest multiple of 8, at least 8, or the
// next larger one if that is below `least` * width.
constexpr std::int64_t multiple_of_8(double width, double least = 0.9) {
  const auto near =
      std::max<std::int64_t>(8, static_cast<std::int64_t>(width + 4.0) / 8 * 8);
  return static_cast<double>(near) < least * width ? near + 8 : near;
}

} // namespace vitrain::models
