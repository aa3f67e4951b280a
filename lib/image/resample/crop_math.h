#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace vitrain::image {

// Python's int(round(x)): half to even, which is the default rounding mode.
inline int round_half_even(double x) {
  return static_cast<int>(std::nearbyint(x));
}

struct Size {
  int width = 0;
  int height = 0;
};

// The shorter side becomes `to`, the longer one Python's
// int(to * longer / shorter): torchvision's Resize(to). At most 2^30, for
// images that have one row of a hundred million pixels.
inline Size shorter_side_to(int to, int width, int height) {
  const auto scaled = [&](int longer, int shorter) {
    return static_cast<int>(std::min(
        static_cast<double>(std::int64_t{to} * longer) / shorter, 0x1p30));
  };
  return width <= height ? Size{to, scaled(height, width)}
                         : Size{scaled(width, height), to};
}

// Where one axis of an image and of the square overlap.
struct Overlap {
  int first = 0; // pixel of the image
  int count = 0;
  int at = 0; // pixel of the square
};

// `in` pixels centred on a square of `size`, as torchvision's center_crop.
inline Overlap centred(int in, int size) {
  if (in < size) {
    return {0, in, (size - in) / 2};
  }
  return {round_half_even((in - size) / 2.0), size, 0};
}

} // namespace vitrain::image
