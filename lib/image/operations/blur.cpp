#include "image/operations/blur.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "image/avx2.h"

namespace vitrain::image {
namespace {

constexpr int kPasses = 3;

// A box filter that extends by `radius` whole pixels and a fraction of one more
// to both sides; weights have 24 fractional bits.
struct BlurBox {
  int radius = 0;
  std::uint32_t whole = 0; // weight of the pixels inside
  std::uint32_t part = 0; // weight of the two partial pixels

  explicit BlurBox(float reach) : radius(static_cast<int>(reach)) {
    constexpr float kOne = 1 << 24;
    whole = static_cast<std::uint32_t>(kOne / (reach * 2 + 1));
    const auto inside = static_cast<std::uint32_t>(radius * 2 + 1);
    part = ((1U << 24) - inside * whole) / 2;
  }
};

// Returns the reach of a box filter of which `kPasses` passes approximate a
// Gaussian; formulas 7, 11 and 14 of the paper (see blur.h), in single
// precision where Pillow uses it.
float reach_of(float deviation) {
  const float variance = deviation * deviation / kPasses;
  const auto length = static_cast<float>(std::sqrt(12.0 * variance + 1.0));
  const auto whole = static_cast<float>(std::floor((length - 1.0) / 2.0));
  float part = (2 * whole + 1) * (whole * (whole + 1) - 3 * variance);
  part /= 6 * (variance - (whole + 1) * (whole + 1));
  return whole + part;
}

// Filters the columns of `in` [rows, length] into `out`; the first and last row
// are repeated beyond the borders.
VITRAIN_INLINE void pass_rows(
    const std::uint8_t* in,
    std::uint8_t* __restrict out,
    int rows,
    std::size_t length,
    const BlurBox& box,
    std::uint32_t* __restrict sums) {
  const auto row = [&](int y) {
    return in + static_cast<std::size_t>(std::clamp(y, 0, rows - 1)) * length;
  };
  std::fill_n(sums, length, 0);
  for (int y = -box.radius - 1; y < box.radius; ++y) {
    const std::uint8_t* entering = row(y);
    for (std::size_t i = 0; i < length; ++i) {
      sums[i] += entering[i];
    }
  }
  for (int y = 0; y < rows; ++y, out += length) {
    const std::uint8_t* leaving = row(y - box.radius - 1);
    const std::uint8_t* entering = row(y + box.radius);
    const std::uint8_t* next = row(y + box.radius + 1);
    for (std::size_t i = 0; i < length; ++i) {
      sums[i] += static_cast<std::uint32_t>(entering[i]) - leaving[i];
      const std::uint32_t sides =
          static_cast<std::uint32_t>(leaving[i]) + next[i];
      const std::uint32_t total = sums[i] * box.whole + sides * box.part;
      out[i] = static_cast<std::uint8_t>((total + (1U << 23)) >> 24);
    }
  }
}

void pass_down(
    const std::uint8_t* in,
    std::uint8_t* out,
    int rows,
    std::size_t length,
    const BlurBox& box,
    std::uint32_t* sums) {
  run_vectors([&]() __attribute__((always_inline)) {
    pass_rows(in, out, rows, length, box, sums);
  });
}

// Transposes pixels [rows, columns] of `in` to [columns, rows] in `out`.
void transpose(
    const std::uint8_t* in,
    std::uint8_t* out,
    int rows,
    int columns) {
  constexpr int kTile = 16;
  for (int top = 0; top < rows; top += kTile) {
    for (int left = 0; left < columns; left += kTile) {
      const int bottom = std::min(top + kTile, rows);
      const int right = std::min(left + kTile, columns);
      for (int y = top; y < bottom; ++y) {
        for (int x = left; x < right; ++x) {
          std::memcpy(
              out + (static_cast<std::size_t>(x) * rows + y) * 3,
              in + (static_cast<std::size_t>(y) * columns + x) * 3,
              3);
        }
      }
    }
  }
}

} // namespace

void gaussian_blur(const Canvas& canvas, double radius, Scratch& scratch) {
  const float reach = reach_of(static_cast<float>(radius));
  if (reach == 0.0F) {
    return;
  }
  const BlurBox box(reach);
  const std::size_t bytes = canvas.pixels.size();
  const int longer = std::max(canvas.width, canvas.height);
  scratch.bytes.resize(2 * bytes);
  scratch.words.resize(static_cast<std::size_t>(longer) * 3);
  std::uint8_t* one = scratch.bytes.data();
  std::uint8_t* other = one + bytes;
  std::uint8_t* image = canvas.pixels.data();
  auto* sums = reinterpret_cast<std::uint32_t*>(scratch.words.data());

  // Rows first, as columns of the transposed image.
  const auto column = static_cast<std::size_t>(canvas.height) * 3;
  transpose(image, one, canvas.height, canvas.width);
  pass_down(one, other, canvas.width, column, box, sums);
  pass_down(other, one, canvas.width, column, box, sums);
  pass_down(one, other, canvas.width, column, box, sums);
  transpose(other, one, canvas.width, canvas.height);

  const std::size_t row = canvas.row_bytes();
  pass_down(one, other, canvas.height, row, box, sums);
  pass_down(other, one, canvas.height, row, box, sums);
  pass_down(one, image, canvas.height, row, box, sums);
}

} // namespace vitrain::image
