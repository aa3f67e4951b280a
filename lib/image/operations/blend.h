#pragma once

#include <cstdint>

namespace vitrain::image {

// Blends one value as Pillow's Image.blend, in single precision: `from` at
// factor 0, `to` at 1, extrapolated outside; clamped to [0, 255] and truncated.
inline std::uint8_t blended(std::uint8_t from, std::uint8_t to, float factor) {
  const auto base = static_cast<float>(from);
  float value = base + factor * (static_cast<float>(to) - base);
  value = value < 0.0F ? 0.0F : value;
  value = value > 255.0F ? 255.0F : value;
  return static_cast<std::uint8_t>(static_cast<int>(value));
}

} // namespace vitrain::image
