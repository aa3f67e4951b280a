#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numbers>

#include "image/operations/resample_kernels.h"

namespace vitrain::image {
namespace {

double sinc(double x) {
  if (x == 0.0) {
    return 1.0;
  }
  x *= std::numbers::pi;
  return std::sin(x) / x;
}

double box(double x) {
  return x > -0.5 && x <= 0.5 ? 1.0 : 0.0;
}

double bilinear(double x) {
  x = std::abs(x);
  return x < 1.0 ? 1.0 - x : 0.0;
}

double hamming(double x) {
  x = std::abs(x);
  if (x == 0.0) {
    return 1.0;
  }
  if (x >= 1.0) {
    return 0.0;
  }
  x *= std::numbers::pi;
  // Pillow's constants are in single precision.
  return std::sin(x) / x * (0.54F + 0.46F * std::cos(x));
}

// Keys' cubic convolution ("Cubic convolution interpolation for digital image
// processing", IEEE Trans. ASSP 29, 1981) with a = -0.5.
double bicubic(double x) {
  constexpr double kA = -0.5;
  x = std::abs(x);
  if (x < 1.0) {
    return ((kA + 2.0) * x - (kA + 3.0)) * x * x + 1;
  }
  if (x < 2.0) {
    return (((x - 5) * x + 8) * x - 4) * kA;
  }
  return 0.0;
}

double lanczos(double x) {
  return -3.0 <= x && x < 3.0 ? sinc(x) * sinc(x / 3) : 0.0;
}

// In the order of ResampleFilter.
constexpr double (*kFunctions[])(
    double) = {box, bilinear, hamming, bicubic, lanczos};

std::int32_t to_fixed(double weight) {
  const double scaled = weight * (1 << kWeightBits);
  return static_cast<std::int32_t>(weight < 0 ? scaled - 0.5 : scaled + 0.5);
}

void weigh(
    const Taps& taps,
    ResampleFilter curve,
    const double* centers,
    double shrink,
    double* exact,
    std::int32_t* weights) {
  double (*const function)(double) =
      kFunctions[static_cast<std::size_t>(curve)];
  for (int i = 0; i < taps.outputs; ++i, weights += taps.stride) {
    double sum = 0;
    for (int k = 0; k < taps.counts[i]; ++k) {
      const int pixel = k + taps.origin + taps.first[i];
      exact[k] = function((pixel - centers[i] + 0.5) * shrink);
      sum += exact[k];
    }
    for (int k = 0; k < taps.counts[i]; ++k) {
      weights[k] = to_fixed(sum != 0 ? exact[k] / sum : exact[k]);
    }
  }
}

constexpr std::int32_t kHalf = 1 << (kWeightBits - 1);

std::uint8_t to_byte(std::int32_t sum) {
  return static_cast<std::uint8_t>(std::clamp(sum >> kWeightBits, 0, 255));
}

void columns(
    const Taps& taps,
    RowBlock<const std::uint8_t> from,
    int count,
    RowBlock<std::uint8_t> to) {
  for (; count > 0; --count) {
    std::uint8_t* out = to.pixels;
    const std::int32_t* weights = taps.weights;
    for (int i = 0; i < taps.outputs; ++i) {
      const std::uint8_t* pixel =
          from.pixels + 3 * std::ptrdiff_t{taps.first[i]};
      std::int32_t r = kHalf;
      std::int32_t g = kHalf;
      std::int32_t b = kHalf;
      for (int k = 0; k < taps.counts[i]; ++k, pixel += 3) {
        r += pixel[0] * weights[k];
        g += pixel[1] * weights[k];
        b += pixel[2] * weights[k];
      }
      out[0] = to_byte(r);
      out[1] = to_byte(g);
      out[2] = to_byte(b);
      out += 3;
      weights += taps.stride;
    }
    from.pixels += from.stride;
    to.pixels += to.stride;
  }
}

void row(
    const Taps& taps,
    int i,
    RowBlock<const std::uint8_t> from,
    std::size_t bytes,
    std::uint8_t* to) {
  constexpr std::size_t kBlock = 256;
  const std::int32_t* weights = taps.weights + std::ptrdiff_t{i} * taps.stride;
  const std::uint8_t* top =
      from.pixels + static_cast<std::size_t>(taps.first[i]) * from.stride;
  for (std::size_t x = 0; x < bytes; x += kBlock) {
    const std::size_t width = std::min(kBlock, bytes - x);
    std::int32_t sums[kBlock];
    std::fill_n(sums, width, kHalf);
    for (int k = 0; k < taps.counts[i]; ++k) {
      const std::uint8_t* pixels =
          top + static_cast<std::size_t>(k) * from.stride + x;
      for (std::size_t j = 0; j < width; ++j) {
        sums[j] += pixels[j] * weights[k];
      }
    }
    for (std::size_t j = 0; j < width; ++j) {
      to[x + j] = to_byte(sums[j]);
    }
  }
}

std::size_t no_words(const Taps& /*taps*/) {
  return 0;
}

void prepare_nothing(const Taps& /*taps*/, std::uint32_t* /*prepared*/) {}

} // namespace

const Kernels kScalarKernels = {
    .weigh = weigh,
    .words_for_columns = no_words,
    .prepare_columns = prepare_nothing,
    .columns = columns,
    .slack = 0,
    .words_for_rows = no_words,
    .prepare_rows = prepare_nothing,
    .row = row};

} // namespace vitrain::image
