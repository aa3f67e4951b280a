#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>

namespace vitrain::image::detail {

// Maps samples of more than 8 bits to [0, 255], using DecodeOptions::range or,
// without it, as Pillow does; then records whether grey samples were clipped.
class Levels {
 public:
  explicit Levels(const std::optional<std::array<double, 2>>& range)
      : range_(range) {}

  // Returns the 8-bit value of a grey sample.
  std::uint8_t grey(double value) {
    if (range_) {
      return scaled(value);
    }
    if (std::isnan(value)) {
      nan_ = true;
      return 0;
    }
    lowest_ = std::min(lowest_, value);
    highest_ = std::max(highest_, value);
    fraction_ = fraction_ || value != std::trunc(value);
    return value >= 255.0 ? 255
        : value > 0.0     ? static_cast<std::uint8_t>(value)
                          : 0;
  }

  // Returns the 8-bit value of a 16-bit colour sample.
  std::uint8_t colour(std::uint16_t value) const {
    return range_ ? scaled(value) : static_cast<std::uint8_t>(value >> 8);
  }

  // Returns true if there is no range and grey samples were NaN or outside [0,
  // 255], or all were at most 1 and some were fractions, which makes the image
  // almost black.
  bool clipped() const {
    return nan_ || lowest_ < 0.0 || highest_ > 255.0 ||
        (fraction_ && highest_ <= 1.0);
  }

 private:
  std::uint8_t scaled(double value) const {
    const auto [low, high] = *range_;
    const double level = (value - low) / (high - low) * 255.0;
    return level > 0.0 // false for NaN
        ? static_cast<std::uint8_t>(std::nearbyint(std::min(level, 255.0)))
        : 0;
  }

  std::optional<std::array<double, 2>> range_;
  double lowest_ = std::numeric_limits<double>::infinity();
  double highest_ = -std::numeric_limits<double>::infinity();
  bool nan_ = false;
  bool fraction_ = false; // some sample is not an integer
};

} // namespace vitrain::image::detail
