#pragma once

#include <cstddef>
#include <cstdint>

#include "core/system/cpu.h"

// Inner loops of the resampler, once per instruction set. Plain types only:
// inline functions of the standard library must not be compiled for one
// instruction set and linked into another.
namespace vitrain::image {

// Weights have 22 bits after the point: with 8-bit pixels and weights whose
// magnitudes sum up to less than 2, a sum fits 32 bits. (Parts of a sum may
// wrap.)
inline constexpr int kWeightBits = 22;

// The functions that weights follow.
enum class Curve { kBox, kBilinear, kHamming, kBicubic, kLanczos };

// One axis of a resize, as the kernels see it.
struct Taps {
  int outputs = 0;
  int origin = 0; // the source pixel that `first` counts from
  const std::int32_t* first = nullptr; // [outputs] an output's first pixel ...
  const std::int32_t* counts = nullptr; // [outputs] ... and how many it sums
  const std::int32_t* weights = nullptr; // [outputs, stride], zero after counts
  int stride = 0; // a multiple of 4, at least the largest count
  const std::uint32_t* prepared = nullptr; // see Kernels; on 64 bytes
};

// Neighbouring source or result rows.
template <typename Byte>
struct Rows {
  Byte* pixels = nullptr;
  std::size_t stride = 0;
};

// All instruction sets give the same weights and bytes. `columns` and `rows`
// are the two passes; each needs what its prepare function made of the weights,
// `words` long.
struct Kernels {
  // weights[i, k], k < counts[i], from the curve at (k + origin + first[i] -
  // centers[i] + 0.5) * shrink, divided by their sum, rounded to kWeightBits
  // half away from zero. `exact` has room for 8 * stride numbers, on 64 bytes.
  void (*weigh)(
      const Taps& taps,
      Curve curve,
      const double* centers,
      double shrink,
      double* exact,
      std::int32_t* weights);

  std::size_t (*words_for_columns)(const Taps& taps);
  void (*prepare_columns)(const Taps& taps, std::uint32_t* prepared);
  // Processes `count` rows; row[0] is the pixel `origin`. May read `slack`
  // bytes after the last pixel of a row, and write as many after its last
  // output.
  void (*columns)(
      const Taps& taps,
      Rows<const std::uint8_t> from,
      int count,
      Rows<std::uint8_t> to);
  std::size_t slack;

  std::size_t (*words_for_rows)(const Taps& taps);
  void (*prepare_rows)(const Taps& taps, std::uint32_t* prepared);
  // Writes `bytes` bytes of output row i and no others; from.pixels is the row
  // `origin`.
  void (*row)(
      const Taps& taps,
      int i,
      Rows<const std::uint8_t> from,
      std::size_t bytes,
      std::uint8_t* to);
};

extern const Kernels kScalarKernels;
#if defined(__x86_64__)
extern const Kernels kAvx2Kernels;
extern const Kernels kAvx512Kernels;
#endif

} // namespace vitrain::image
