#include "image/operations/affine_rows.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "core/cpu.h"
#include "image/avx2.h"

// Pillow interpolates in double precision and truncates, so that every product
// and sum has to be the same one here. The channels of a pixel stand in one
// vector; where the source coordinate falls on the centre of a row or column,
// as with shears and shifts along an axis, interpolation in that direction
// leaves values as they are and is left out.
namespace vitrain::image {
namespace {

using Words = std::int32_t __attribute__((vector_size(16)));
using Doubles = double __attribute__((vector_size(32)));

// The canvas as it was, four numbers a pixel.
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

// A source coordinate: the pixel whose centre is next to the left or above, and
// how far it is away.
struct Place {
  int pixel = 0;
  double rest = 0;

  explicit Place(double coordinate) {
    const double from_centre = coordinate - 0.5;
    pixel = static_cast<int>(std::floor(from_centre));
    rest = from_centre - pixel;
  }
};

// One load: copies in parts would have to be put together again in memory.
VITRAIN_INLINE void load(Doubles& to, const double* from) {
  using Anywhere =
      double __attribute__((vector_size(32), aligned(8), may_alias));
  to = *reinterpret_cast<const Anywhere*>(from);
}

struct Linear {
  static constexpr int kTaps = 2;
  static constexpr int kBefore = 0; // taps before Place::pixel

  VITRAIN_INLINE static void mix(Doubles& out, const Doubles* in, double rest) {
    out = in[0] + (in[1] - in[0]) * rest;
  }
};

// The cubic through the two middle values with Keys' slopes for a = -1.
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
VITRAIN_INLINE void
value_at(Doubles& out, const Source& source, const Place& x, const Place& y) {
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
      value_at<Kernel>(value, source, Place(from_x), Place(from_y));
      value = value < 0.0 ? Doubles{} : value;
      value = value > 255.0 ? Doubles{} + 255.0 : value;
      const Words whole = __builtin_convertvector(value, Words);
      out[0] = static_cast<std::uint8_t>(whole[0]);
      out[1] = static_cast<std::uint8_t>(whole[1]);
      out[2] = static_cast<std::uint8_t>(whole[2]);
    }
  }
}

template <typename Kernel>
void rows_plain(
    const Canvas& canvas,
    const AffineMap& map,
    const std::array<std::uint8_t, 3>& fill,
    const Source& source) {
  rows_with<Kernel>(canvas, map, fill, source);
}

template <typename Kernel>
VITRAIN_AVX2 void rows_avx2(
    const Canvas& canvas,
    const AffineMap& map,
    const std::array<std::uint8_t, 3>& fill,
    const Source& source) {
  rows_with<Kernel>(canvas, map, fill, source);
}

} // namespace

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
  if (best_simd() >= Simd::kAvx2) {
    const auto rows = linear ? rows_avx2<Linear> : rows_avx2<Cubic>;
    rows(canvas, map, options.fill, source);
  } else {
    const auto rows = linear ? rows_plain<Linear> : rows_plain<Cubic>;
    rows(canvas, map, options.fill, source);
  }
}

} // namespace vitrain::image
