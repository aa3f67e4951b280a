#include "image/operations/affine.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <numbers>

#include "image/avx2.h"

namespace vitrain::image {
namespace {

// Converts to 16.16 fixed point, rounded half up.
std::int32_t to_fixed(double value) {
  return static_cast<std::int32_t>(std::floor(value * 65536.0 + 0.5));
}

// Translates and scales with nearest neighbours: the source columns are the
// same for all rows. Accumulates coordinates by addition, not multiplication,
// as Pillow does.
void scale_nearest(
    const Canvas& canvas,
    const AffineMap& map,
    const std::uint8_t* source,
    Scratch& scratch) {
  scratch.words.resize(static_cast<std::size_t>(canvas.width));
  int first = canvas.width;
  int last = 0; // one past the last pixel inside the source
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

// Pillow interpolates in double precision and truncates, so every product and
// sum must be identical here. The channels of a pixel are in one vector. If the
// source coordinate is exactly at the centre of a row or column, as with shears
// and translations along an axis, interpolation in that direction would not
// change values and is skipped.
using Words = std::int32_t __attribute__((vector_size(16)));
using Doubles = double __attribute__((vector_size(32)));

// Copy of the original canvas with four numbers per pixel: its RGB, and 0.
struct Source {
  const double* numbers = nullptr;
  int width = 0;
  int height = 0;

  const double* row(int y) const {
    return numbers +
        static_cast<std::size_t>(std::clamp(y, 0, height - 1)) * width * 4;
  }
  std::size_t column(int x) const {
    return static_cast<std::size_t>(std::clamp(x, 0, width - 1)) * 4;
  }
};

// A source coordinate: the nearest pixel whose centre is not to the right of it
// (or below it), and the distance from that centre.
struct SourceCoordinate {
  int pixel = 0;
  double rest = 0;

  explicit SourceCoordinate(double coordinate) {
    const double from_centre = coordinate - 0.5;
    pixel = static_cast<int>(std::floor(from_centre));
    rest = from_centre - pixel;
  }
};

// Loads with one instruction; separate copies would have to be combined through
// memory.
VITRAIN_INLINE void load(Doubles& to, const double* from) {
  using Anywhere =
      double __attribute__((vector_size(32), aligned(8), may_alias));
  to = *reinterpret_cast<const Anywhere*>(from);
}

struct Linear {
  static constexpr int kTaps = 2;
  static constexpr int kBefore = 0; // taps before SourceCoordinate::pixel

  VITRAIN_INLINE static void mix(Doubles& out, const Doubles* in, double rest) {
    out = in[0] + (in[1] - in[0]) * rest;
  }
};

// Cubic interpolation between the two middle values, with Keys' slopes for a =
// -1.
struct Cubic {
  static constexpr int kTaps = 4;
  static constexpr int kBefore = 1;

  VITRAIN_INLINE static void mix(Doubles& out, const Doubles* in, double rest) {
    const Doubles p2 = -in[0] + in[2];
    const Doubles p3 = 2.0 * (in[0] - in[1]) + in[2] - in[3];
    const Doubles p4 = -in[0] + in[1] - in[2] + in[3];
    out = in[1] + rest * (p2 + rest * (p3 + rest * p4));
  }
};

template <typename Kernel>
VITRAIN_INLINE void across(
    Doubles& out,
    const double* row,
    const std::size_t* columns,
    double rest) {
  if (rest == 0.0) {
    load(out, row + columns[Kernel::kBefore]);
    return;
  }
  Doubles taps[Kernel::kTaps];
#pragma GCC unroll 4
  for (int tap = 0; tap < Kernel::kTaps; ++tap) {
    load(taps[tap], row + columns[tap]);
  }
  Kernel::mix(out, taps, rest);
}

template <typename Kernel>
VITRAIN_INLINE void value_at(
    Doubles& out,
    const Source& source,
    const SourceCoordinate& x,
    const SourceCoordinate& y) {
  std::size_t columns[Kernel::kTaps];
#pragma GCC unroll 4
  for (int tap = 0; tap < Kernel::kTaps; ++tap) {
    columns[tap] = source.column(x.pixel - Kernel::kBefore + tap);
  }
  if (y.rest == 0.0) {
    across<Kernel>(out, source.row(y.pixel), columns, x.rest);
    return;
  }
  Doubles rows[Kernel::kTaps];
#pragma GCC unroll 4
  for (int tap = 0; tap < Kernel::kTaps; ++tap) {
    across<Kernel>(
        rows[tap],
        source.row(y.pixel - Kernel::kBefore + tap),
        columns,
        x.rest);
  }
  Kernel::mix(out, rows, y.rest);
}

template <typename Kernel>
VITRAIN_INLINE void rows_with(
    const Canvas& canvas,
    const AffineMap& map,
    const std::array<std::uint8_t, 3>& fill,
    const Source& source) {
  for (int row = 0; row < canvas.height; ++row) {
    std::uint8_t* out = canvas.row(row);
    const double y = row + 0.5;
    for (int column = 0; column < canvas.width; ++column, out += 3) {
      const double x = column + 0.5;
      const double from_x = map.a * x + map.b * y + map.c;
      const double from_y = map.d * x + map.e * y + map.f;
      if (from_x < 0.0 || from_x >= source.width || from_y < 0.0 ||
          from_y >= source.height) {
        std::memcpy(out, fill.data(), 3);
        continue;
      }
      Doubles value;
      value_at<Kernel>(
          value, source, SourceCoordinate(from_x), SourceCoordinate(from_y));
      value = value < 0.0 ? Doubles{} : value;
      value = value > 255.0 ? Doubles{} + 255.0 : value;
      const Words whole = __builtin_convertvector(value, Words);
      out[0] = static_cast<std::uint8_t>(whole[0]);
      out[1] = static_cast<std::uint8_t>(whole[1]);
      out[2] = static_cast<std::uint8_t>(whole[2]);
    }
  }
}

// Implements affine() with bilinear or bicubic interpolation.
void interpolate_rows(
    const Canvas& canvas,
    const AffineMap& map,
    const AffineOptions& options,
    Scratch& scratch) {
  const std::size_t pixels = canvas.pixels.size() / 3;
  scratch.numbers.resize(4 * pixels);
  for (std::size_t i = 0; i < pixels; ++i) {
    scratch.numbers[4 * i] = canvas.pixels[3 * i];
    scratch.numbers[4 * i + 1] = canvas.pixels[3 * i + 1];
    scratch.numbers[4 * i + 2] = canvas.pixels[3 * i + 2];
    scratch.numbers[4 * i + 3] = 0;
  }
  const Source source{scratch.numbers.data(), canvas.width, canvas.height};
  const bool linear = options.interpolation == Interpolation::kBilinear;
  run_vectors([&]() __attribute__((always_inline)) {
    if (linear) {
      rows_with<Linear>(canvas, map, options.fill, source);
    } else {
      rows_with<Cubic>(canvas, map, options.fill, source);
    }
  });
}

// Returns Python's round(x, 15): x rounded to 15 decimal places.
double round_to_15_digits(double x) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.15f", x);
  return std::strtod(text.data(), nullptr);
}

// Rotates counter-clockwise by 1 to 3 quarter turns; by 1 or 3 only squares.
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
  fill_with(canvas.pixels, options.fill);
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
  double angle = std::fmod(degrees, 360.0); // Python's % is never negative
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
