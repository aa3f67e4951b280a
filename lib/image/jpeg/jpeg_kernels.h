#pragma once

#include <cstddef>
#include <cstdint>

#include "core/system/cpu.h"
#include "image/jpeg/jpeg_entropy.h"

namespace vitrain::image::detail {

// Inner loops of JPEG decoding, with the arithmetic of libjpeg's accurate
// integer DCT (jidctint.c), smooth upsampling (jdsample.c) and colour
// conversion (jdcolor.c), so that pixels are equal to the last bit. The kernels
// of all instruction sets give equal bytes.
struct JpegKernels {
  // Decodes the next `count` MCUs of a stream into the MCU columns from `first`
  // on. The rows of blocks must be zero. Returns false for damaged data.
  bool (*read_mcus)(McuReader& mcus, int first, int count);
  // Like read_mcus, but stores no coefficients.
  bool (*skip_mcus)(McuReader& mcus, int first, int count);

  // Reads the next `count` blocks of a packed row into `groups`, or skips them
  // if it is null. Returns false for damaged data.
  bool (*read_packed)(PackedReader& reader, int count, std::int16_t* groups);

  // Computes the pixels of four neighbouring blocks, [8, 32] bytes at `out`,
  // from a group of quantised coefficients (jpeg_entropy.h) and the 64
  // quantisation steps in row order.
  void (*inverse_dct)(
      const std::int16_t* group,
      const std::int16_t* steps,
      std::uint8_t* out,
      std::ptrdiff_t stride);

  // Upsample rows of chroma samples to full resolution. Up to kSlack bytes are
  // read after the inputs, and overwritten after the output. The h2 kernels
  // also read samples -1 and `count` of their input, and write 2 * count bytes;
  // upsample_h1v2 writes `count` bytes.
  // h2v1: chroma has half as many columns as luma.
  void (*upsample_h2v1)(const std::uint8_t* in, int count, std::uint8_t* out);
  // h2v2: chroma has half as many columns and rows. blend_rows computes 3 *
  // near + far; upsample_h2v2 then doubles the columns.
  void (*blend_rows)(
      const std::uint8_t* near,
      const std::uint8_t* far,
      int count,
      std::int16_t* sums);
  void (*upsample_h2v2)(const std::int16_t* sums, int count, std::uint8_t* out);
  // h1v2: chroma has half as many rows. `bias` is 1 for the upper of two output
  // rows, 2 for the lower.
  void (*upsample_h1v2)(
      const std::uint8_t* near,
      const std::uint8_t* far,
      int bias,
      int count,
      std::uint8_t* out);

  // Converts to [count, 3] RGB bytes. Up to kSlack bytes are read after the
  // inputs, and overwritten after the output.
  void (*to_rgb)(
      const std::uint8_t* y,
      const std::uint8_t* cb,
      const std::uint8_t* cr,
      int count,
      std::uint8_t* out);
};

constexpr std::size_t kSlack = 192;

// Kernels compiled for AVX-512, AVX2, and the baseline (SSE2 on x86-64).
extern const JpegKernels kJpegKernelsAvx512;
extern const JpegKernels kJpegKernelsAvx2;
extern const JpegKernels kJpegKernelsScalar;

// Returns the kernels for an instruction set, which the processor must have.
const JpegKernels& jpeg_kernels(Simd simd);

} // namespace vitrain::image::detail
