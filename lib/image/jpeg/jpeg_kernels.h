#pragma once

#include <cstddef>
#include <cstdint>

#include "core/system/cpu.h"
#include "image/jpeg/jpeg_entropy.h"

namespace vitrain::image::detail {

// The inner loops of JPEG decoding, with the arithmetic of libjpeg's accurate
// integer DCT (jidctint.c), smooth upsampling (jdsample.c) and colour
// conversion (jdcolor.c), so that pixels are equal to the last bit. All sets
// give equal bytes.
struct JpegKernels {
  // The next `count` MCUs of a stream, into columns `first` and following of
  // zeroed rows of blocks. False at damaged data.
  bool (*read_mcus)(McuReader& mcus, int first, int count);
  // As read_mcus, without storing coefficients.
  bool (*skip_mcus)(McuReader& mcus, int first, int count);

  // Reads the next `count` blocks of a packed row into groups, or skips them
  // with a null pointer. Returns false for damaged data.
  bool (*read_packed)(PackedReader& reader, int count, std::int16_t* groups);

  // Pixels of four neighbouring blocks, [8, 32] bytes at `out`, from a group of
  // quantised coefficients (jpeg_scan.h) and the 64 steps of quantisation in
  // row order.
  void (*inverse_dct)(
      const std::int16_t* group,
      const std::int16_t* steps,
      std::uint8_t* out,
      std::ptrdiff_t stride);

  // Rows of chroma samples at full resolution. Samples -1 and `count` of the
  // inputs must be readable (h2v1) or are in `sums` (h2v2); `out` receives 2 *
  // count bytes, and up to kSlack bytes after them are overwritten. Half as
  // many columns as luma:
  void (*upsample_h2v1)(const std::uint8_t* in, int count, std::uint8_t* out);
  // and half as many rows: first 3 * near + far, then
  void (*blend_rows)(
      const std::uint8_t* near,
      const std::uint8_t* far,
      int count,
      std::int16_t* sums);
  // its columns.
  void (*upsample_h2v2)(const std::int16_t* sums, int count, std::uint8_t* out);
  // Half as many rows only; bias is 1 for the upper of two rows, 2 for the
  // lower.
  void (*upsample_h1v2)(
      const std::uint8_t* near,
      const std::uint8_t* far,
      int bias,
      int count,
      std::uint8_t* out);

  // [count, 3] RGB bytes; up to kSlack bytes after the inputs are read, and
  // after the output overwritten.
  void (*to_rgb)(
      const std::uint8_t* y,
      const std::uint8_t* cb,
      const std::uint8_t* cr,
      int count,
      std::uint8_t* out);
};

constexpr std::size_t kSlack = 192;

// Compiled for AVX-512, AVX2, and what every x86-64 has (SSE2).
extern const JpegKernels kJpegKernelsAvx512;
extern const JpegKernels kJpegKernelsAvx2;
extern const JpegKernels kJpegKernelsScalar;

// The set for these instructions.
const JpegKernels& jpeg_kernels(Simd simd);

} // namespace vitrain::image::detail
