#pragma once

#include <algorithm>
#include <cstdint>

namespace vitrain::models {

// Returns timm's make_divisible: the nearest multiple of `divisor`, at least
// `divisor`, or the next larger one if that is below `least` * width.
constexpr std::int64_t
multiple_of(std::int64_t divisor, double width, double least = 0.9) {
  const double half = static_cast<double>(divisor) / 2.0;
  const std::int64_t near = std::max(
      divisor, static_cast<std::int64_t>(width + half) / divisor * divisor);
  return static_cast<double>(near) < least * width ? near + divisor : near;
}

constexpr std::int64_t multiple_of_8(double width, double least = 0.9) {
  return multiple_of(8, width, least);
}

} // namespace vitrain::models
