#include "image/operations/colour_operations.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "image/avx2.h"
#include "image/operations/blend.h"
#include "image/operations/grey.h"

namespace vitrain::image {
namespace {

// Pixels per block, so that their luma stays in the cache.
constexpr std::size_t kBlock = 512;

// Calls use(values, grey) for blocks of the canvas; `grey` contains the luma of
// each pixel three times, one for each of its `values`.
template <typename Use>
void with_grey(const Canvas& canvas, Use use) {
  std::array<std::uint8_t, kBlock> grey{};
  std::array<std::uint8_t, 3 * kBlock> thrice{};
  for (std::size_t first = 0; first < canvas.pixels.size();
       first += thrice.size()) {
    const std::span values = canvas.pixels.subspan(
        first, std::min(thrice.size(), canvas.pixels.size() - first));
    const std::size_t pixels = values.size() / 3;
    to_grey(values, {grey.data(), pixels});
    for (std::size_t i = 0; i < pixels; ++i) {
      thrice[3 * i] = grey[i];
      thrice[3 * i + 1] = grey[i];
      thrice[3 * i + 2] = grey[i];
    }
    use(values, thrice.data());
  }
}

// Blends: to = from + factor * (to - from).
VITRAIN_INLINE void blend_values(
    std::uint8_t* __restrict to,
    const std::uint8_t* __restrict from,
    std::size_t count,
    float factor) {
  for (std::size_t i = 0; i < count; ++i) {
    to[i] = blended(from[i], to[i], factor);
  }
}

void blend_into(
    std::uint8_t* to,
    const std::uint8_t* from,
    std::size_t count,
    float factor) {
  run_vectors([&]() __attribute__((always_inline)) {
    blend_values(to, from, count, factor);
  });
}

// Computes rounded means of 3 x 3 values with weight 5 for the middle one.
// Pillow sums in single precision, whose error is too small to round the exact
// multiple of 1/13 to another integer.
void smooth_row(
    std::uint8_t* __restrict out,
    const std::uint8_t* here,
    std::size_t row,
    std::size_t count) {
  const std::uint8_t* above = here - row;
  const std::uint8_t* below = here + row;
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint32_t sum = std::uint32_t{above[i - 3]} + above[i] +
        above[i + 3] + here[i - 3] + 5U * here[i] + here[i + 3] + below[i - 3] +
        below[i] + below[i + 3];
    out[i] = static_cast<std::uint8_t>((2 * sum + 13) / 26);
  }
}

struct Hsv {
  std::uint8_t hue = 0;
  std::uint8_t saturation = 0;
  std::uint8_t value = 0;
};

// Converts to HSV like Pillow: the formulas of colorsys, with Pillow's mix of
// single and double precision.
Hsv to_hsv(const std::uint8_t* pixel) {
  const int r = pixel[0];
  const int g = pixel[1];
  const int b = pixel[2];
  const int high = std::max({r, g, b});
  const int low = std::min({r, g, b});
  if (high == low) {
    return {0, 0, static_cast<std::uint8_t>(high)};
  }
  const auto range = static_cast<float>(high - low);
  const auto share = [&](int channel) {
    return static_cast<float>(high - channel) / range;
  };
  float sixths = 0.0F;
  if (r == high) {
    sixths = share(b) - share(g);
  } else if (g == high) {
    sixths = static_cast<float>(2.0 + share(r) - share(b));
  } else {
    sixths = static_cast<float>(4.0 + share(g) - share(r));
  }
  double turns = sixths / 6.0 + 1.0; // in [5/6, 11/6]
  turns = turns >= 1.0 ? turns - 1.0 : turns;
  const float saturation = range / static_cast<float>(high);
  return {
      static_cast<std::uint8_t>(
          static_cast<int>(static_cast<float>(turns) * 255.0)),
      static_cast<std::uint8_t>(static_cast<int>(saturation * 255.0)),
      static_cast<std::uint8_t>(high)};
}

// Rounds a number >= 0, which must not be adjacent to one half.
std::uint8_t rounded(double x) {
  const double above = x + 0.5;
  return static_cast<std::uint8_t>(static_cast<int>(above));
}

void to_rgb(const Hsv& hsv, std::uint8_t* pixel) {
  const std::uint8_t v = hsv.value;
  if (hsv.saturation == 0) {
    pixel[0] = pixel[1] = pixel[2] = v;
    return;
  }
  const double sixths = static_cast<float>(hsv.hue) * 6.0 / 255.0;
  const int sector = static_cast<int>(sixths); // 0 to 6
  const auto fraction = static_cast<float>(sixths - static_cast<float>(sector));
  const auto s = static_cast<float>(static_cast<float>(hsv.saturation) / 255.0);
  const std::uint8_t p = rounded(v * (1.0 - s));
  const std::uint8_t q = rounded(v * (1.0 - s * fraction));
  const std::uint8_t t = rounded(v * (1.0 - s * (1.0 - fraction)));
  const std::array<std::array<std::uint8_t, 3>, 6> sectors{
      {{v, t, p}, {q, v, p}, {p, v, t}, {p, q, v}, {t, p, v}, {v, p, q}}};
  std::memcpy(pixel, sectors[static_cast<std::size_t>(sector % 6)].data(), 3);
}

} // namespace

void grayscale(const Canvas& canvas) {
  with_grey(
      canvas, [](std::span<std::uint8_t> values, const std::uint8_t* grey) {
        std::memcpy(values.data(), grey, values.size());
      });
}

void saturation(const Canvas& canvas, double factor) {
  with_grey(
      canvas, [&](std::span<std::uint8_t> values, const std::uint8_t* grey) {
        blend_into(
            values.data(), grey, values.size(), static_cast<float>(factor));
      });
}

void sharpness(const Canvas& canvas, double factor, Scratch& scratch) {
  // The smoothed image has the original border, so the border does not change.
  if (canvas.width < 3 || canvas.height < 3) {
    return;
  }
  const std::size_t row = canvas.row_bytes();
  // Number of values of a row whose pixel has both neighbours.
  const std::size_t inside = row - 6;
  const std::size_t bytes = canvas.pixels.size();
  scratch.bytes.assign(canvas.pixels.begin(), canvas.pixels.end());
  scratch.bytes.resize(bytes + inside);
  std::uint8_t* smooth = scratch.bytes.data() + bytes;
  for (int y = 1; y < canvas.height - 1; ++y) {
    const std::size_t first = static_cast<std::size_t>(y) * row + 3;
    smooth_row(smooth, scratch.bytes.data() + first, row, inside);
    blend_into(canvas.row(y) + 3, smooth, inside, static_cast<float>(factor));
  }
}

void hue(const Canvas& canvas, double turns) {
  // 8-bit arithmetic wraps around like the hue.
  const auto shift = static_cast<std::uint8_t>(static_cast<int>(turns * 255));
  std::uint8_t* pixel = canvas.pixels.data();
  const std::uint8_t* end = pixel + canvas.pixels.size();
  for (; pixel < end; pixel += 3) {
    Hsv hsv = to_hsv(pixel);
    hsv.hue = static_cast<std::uint8_t>(hsv.hue + shift);
    to_rgb(hsv, pixel);
  }
}

} // namespace vitrain::image
