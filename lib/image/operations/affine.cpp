#include "image/operations/affine.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <numbers>

#include "image/operations/affine_rows.h"

namespace vitrain::image {
namespace {

// 16.16 fixed point, rounded half up.
std::int32_t to_fixed(double value) {
  return static_cast<std::int32_t>(std::floor(value * 65536.0 + 0.5));
}

// Moves and scales along the axes: the columns that the pixels of a row come
// from are the same for all rows. Sums, not products, as in Pillow.
void scale_nearest(
    const Canvas& canvas,
    const AffineMap& map,
    const std::uint8_t* source,
    Scratch& scratch) {
  scratch.words.resize(static_cast<std::size_t>(canvas.width));
  int first = canvas.width;
  int last = 0; // behind the last pixel that is not fill
  double x = map.c + map.a * 0.5;
  for (int i = 0; i < canvas.width; ++i) {
    if (x >= 0.0 && x < canvas.width) {
      first = std::min(first, i);
      last = i + 1;
      scratch.words[static_cast<std::size_t>(i)] = 3 * static_cast<int>(x);
    }
    x += map.a;
  }
  double y = map.f + map.e * 0.5;
  for (int row = 0; row < canvas.height; ++row) {
    if (y >= 0.0 && y < canvas.height) {
      const std::uint8_t* from =
          source + static_cast<std::size_t>(y) * canvas.row_bytes();
      std::uint8_t* to = canvas.row(row) + static_cast<std::size_t>(first) * 3;
      for (int i = first; i < last; ++i, to += 3) {
        std::memcpy(to, from + scratch.words[static_cast<std::size_t>(i)], 3);
      }
    }
    y += map.e;
  }
}

void map_nearest(
    const Canvas& canvas,
    const AffineMap& map,
    const std::uint8_t* source) {
  const std::int32_t step_x = to_fixed(map.a);
  const std::int32_t step_y = to_fixed(map.d);
  std::int32_t row_x = to_fixed(map.c + map.a * 0.5 + map.b * 0.5);
  std::int32_t row_y = to_fixed(map.f + map.d * 0.5 + map.e * 0.5);
  for (int row = 0; row < canvas.height; ++row) {
    std::int32_t x = row_x;
    std::int32_t y = row_y;
    std::uint8_t* to = canvas.row(row);
    for (int i = 0; i < canvas.width; ++i, to += 3, x += step_x, y += step_y) {
      const int from_x = x >> 16;
      const int from_y = y >> 16;
      if (from_x >= 0 && from_x < canvas.width && from_y >= 0 &&
          from_y < canvas.height) {
        const std::size_t at =
            static_cast<std::size_t>(from_y) * canvas.row_bytes() +
            static_cast<std::size_t>(from_x) * 3;
        std::memcpy(to, source + at, 3);
      }
    }
    row_x += to_fixed(map.b);
    row_y += to_fixed(map.e);
  }
}

void fill_with(
    const Canvas& canvas,
    const std::array<std::uint8_t, 3>& colour) {
  std::uint8_t* pixel = canvas.pixels.data();
  const std::uint8_t* end = pixel + canvas.pixels.size();
  for (; pixel < end; pixel += 3) {
    std::memcpy(pixel, colour.data(), 3);
  }
}

// Python's round(x, 15): the decimal number with 15 digits that is nearest.
double round_to_15_digits(double x) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.15f", x);
  return std::strtod(text.data(), nullptr);
}

// Quarter turns counter-clockwise of a square, two of any canvas.
void turn(const Canvas& canvas, int quarters, Scratch& scratch) {
  scratch.bytes.assign(canvas.pixels.begin(), canvas.pixels.end());
  const int width = canvas.width;
  const int height = canvas.height;
  for (int y = 0; y < height; ++y) {
    std::uint8_t* to = canvas.row(y);
    for (int x = 0; x < width; ++x, to += 3) {
      const int from_x = quarters == 1 ? width - 1 - y
          : quarters == 2              ? width - 1 - x
                                       : y;
      const int from_y = quarters == 1 ? x
          : quarters == 2              ? height - 1 - y
                                       : height - 1 - x;
      std::memcpy(
          to,
          scratch.bytes.data() +
              static_cast<std::size_t>(from_y) * canvas.row_bytes() +
              static_cast<std::size_t>(from_x) * 3,
          3);
    }
  }
}

} // namespace

void affine(
    const Canvas& canvas,
    const AffineMap& map,
    const AffineOptions& options,
    Scratch& scratch) {
  if (options.interpolation != Interpolation::kNearest) {
    interpolate_rows(canvas, map, options, scratch);
    return;
  }
  scratch.bytes.assign(canvas.pixels.begin(), canvas.pixels.end());
  fill_with(canvas, options.fill);
  if (map.b == 0 && map.d == 0) {
    scale_nearest(canvas, map, scratch.bytes.data(), scratch);
  } else {
    map_nearest(canvas, map, scratch.bytes.data());
  }
}

void rotate(
    const Canvas& canvas,
    double degrees,
    const AffineOptions& options,
    Scratch& scratch) {
  double angle = std::fmod(degrees, 360.0); // Python's %: not negative
  angle = angle < 0.0 ? angle + 360.0 : angle;
  if (angle == 0.0) {
    return;
  }
  const bool square = canvas.width == canvas.height;
  if (angle == 180.0 || (square && (angle == 90.0 || angle == 270.0))) {
    turn(canvas, static_cast<int>(angle / 90.0), scratch);
    return;
  }
  const double radians = -(angle * (std::numbers::pi / 180.0));
  const double cosine = round_to_15_digits(std::cos(radians));
  const double sine = round_to_15_digits(std::sin(radians));
  const double x = canvas.width / 2.0;
  const double y = canvas.height / 2.0;
  const double minus_sine = round_to_15_digits(-std::sin(radians));
  affine(
      canvas,
      {cosine,
       sine,
       cosine * -x + sine * -y + 0.0 + x,
       minus_sine,
       cosine,
       minus_sine * -x + cosine * -y + 0.0 + y},
      options,
      scratch);
}

} // namespace vitrain::image
