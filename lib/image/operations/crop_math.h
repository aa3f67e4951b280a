#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace vitrain::image {

// Returns Python's int(round(x)): half to even, which is the default rounding
// mode.
inline int round_half_even(double x) {
  return static_cast<int>(std::nearbyint(x));
}

struct Size {
  int width = 0;
  int height = 0;

  Size() = default;
  Size(int side) : width(side), height(side) {} // a square
  Size(int wide, int high) : width(wide), height(high) {}

  bool operator==(const Size&) const = default;
};

// Returns the size of an image after torchvision's Resize(to): the shorter side
// is `to`, the longer one Python's int(to * longer / shorter). At most 2^30,
// for images such as one row of a hundred million pixels.
inline Size shorter_side_to(int to, int width, int height) {
  const auto scaled = [&](int longer, int shorter) {
    return static_cast<int>(std::min(
        static_cast<double>(std::int64_t{to} * longer) / shorter, 0x1p30));
  };
  return width <= height ? Size{to, scaled(height, width)}
                         : Size{scaled(width, height), to};
}

struct Factors {
  double width = 1;
  double height = 1;
};
// Returns the size of an image resized in proportion to `to`: one side equals
// that of `to`, the other one is at least that long or, if `inside`, at most.
// Both are multiplied by the factors `by`, as in timm's ResizeKeepRatio, before
// they are rounded. Each side is at least 1 and at most 2^30.
inline Size in_proportion(
    const Size& to,
    int width,
    int height,
    bool inside,
    const Factors& by = {}) {
  const double across = static_cast<double>(width) / to.width;
  const double down = static_cast<double>(height) / to.height;
  const double ratio = inside ? std::max(across, down) : std::min(across, down);
  const auto side = [&](int in, double factor) {
    return std::max(round_half_even(std::min(in * factor / ratio, 0x1p30)), 1);
  };
  return {side(width, by.width), side(height, by.height)};
}

// Overlap of the image and the result along one axis.
struct Overlap {
  int first = 0; // first pixel of the image in the overlap
  int count = 0;
  int at = 0; // first pixel of the result in the overlap
};

// Returns the overlap along one axis if the `in` pixels of the image are
// centred on the `size` pixels of the result, as torchvision's center_crop
// does.
inline Overlap centred(int in, int size) {
  if (in < size) {
    return {0, in, (size - in) / 2};
  }
  return {round_half_even((in - size) / 2.0), size, 0};
}

} // namespace vitrain::image
