#pragma once

#include <cstdint>

namespace vitrain::image::detail {

// Returns a * b / 255, rounded, for a and b in [0, 255] (Blinn, "Three wrongs
// make a right", IEEE CG&A 15(6), 1995).
inline int multiply_255(int a, int b) {
  const int product = a * b + 128;
  return ((product >> 8) + product) >> 8;
}

// Converts one pixel from amounts of ink (cyan, magenta, yellow, black) to RGB.
inline void cmyk_to_rgb(const std::uint8_t* ink, std::uint8_t* rgb) {
  const int light = 255 - ink[3];
  for (int c = 0; c < 3; ++c) {
    rgb[c] = static_cast<std::uint8_t>(light - multiply_255(ink[c], light));
  }
}

} // namespace vitrain::image::detail
