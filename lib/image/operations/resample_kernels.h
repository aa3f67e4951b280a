#pragma once

#include <cstddef>
#include <cstdint>

#include "core/system/cpu.h"

// Inner loops of the resampler, compiled once per instruction set. Uses only
// plain types: inline functions of the standard library must not be compiled
// for one instruction set and linked into code for another.
namespace vitrain::image {

// Fractional bits of the fixed-point weights. With 8-bit pixels and weights
// whose magnitudes sum to less than 2, a sum fits 32 bits. (Partial sums may
// wrap.)
inline constexpr int kWeightBits = 22;

// Filter functions for the weights.
enum class ResampleFilter { kBox, kBilinear, kHamming, kBicubic, kLanczos };

// One axis of a resize, in the format of the kernels.
struct Taps {
  int outputs = 0;
  int origin = 0; // first source pixel of the axis
  // [outputs] first source pixel of an output, counted from `origin`.
  const std::int32_t* first = nullptr;
  // [outputs] number of source pixels of an output.
  const std::int32_t* counts = nullptr;
  // [outputs, stride]; zero after the first counts[i] of each output.
  const std::int32_t* weights = nullptr;
  int stride = 0; // a multiple of 4, at least the largest count
  // Words that Kernels::prepare_columns or prepare_rows has written; aligned to
  // 64 bytes.
  const std::uint32_t* prepared = nullptr;
};

// A range of source or result rows, which start `stride` bytes apart.
template <typename Byte>
struct RowBlock {
  Byte* pixels = nullptr;
  std::size_t stride = 0;
};

// Kernels of an instruction set; all sets give the same weights and bytes.
// `columns` and `row` are the two passes; each requires Taps::prepared from its
// own prepare function, with the number of words that its words_for function
// returns.
struct Kernels {
  // Computes weights[i, k], k < counts[i]: the curve at (k + origin + first[i]
  // - centers[i] + 0.5) * shrink, divided by the sum over k if that is not 0,
  // rounded half away from zero to kWeightBits. `exact` is scratch memory for
  // 8 * stride numbers, aligned to 64 bytes.
  void (*weigh)(
      const Taps& taps,
      ResampleFilter curve,
      const double* centers,
      double shrink,
      double* exact,
      std::int32_t* weights);

  std::size_t (*words_for_columns)(const Taps& taps);
  void (*prepare_columns)(const Taps& taps, std::uint32_t* prepared);
  // Filters `count` rows horizontally; the first pixel of a row of `from` is
  // the source pixel `origin`. May read `slack` bytes after the last pixel of a
  // row, and write as many after its last output.
  void (*columns)(
      const Taps& taps,
      RowBlock<const std::uint8_t> from,
      int count,
      RowBlock<std::uint8_t> to);
  std::size_t slack;

  std::size_t (*words_for_rows)(const Taps& taps);
  void (*prepare_rows)(const Taps& taps, std::uint32_t* prepared);
  // Computes output row i: writes exactly `bytes` bytes. The first row of
  // `from` is the source row `origin`.
  void (*row)(
      const Taps& taps,
      int i,
      RowBlock<const std::uint8_t> from,
      std::size_t bytes,
      std::uint8_t* to);
};

extern const Kernels kScalarKernels;
#if defined(__x86_64__)
extern const Kernels kAvx2Kernels;
extern const Kernels kAvx512Kernels;
#endif

} // namespace vitrain::image
