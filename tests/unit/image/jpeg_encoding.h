#pragma once

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <vector>

// jpeglib.h needs size_t and FILE declared before it.
#include <jpeglib.h>

#include "fixtures.h"

namespace vitrain::image::fixtures {

// How a test file is written, by libjpeg.
struct Encoding {
  int width = 16;
  int height = 16;
  int h = 2; // luma samples per chroma sample
  int v = 2;
  bool grey = false;
  int quality = 90;
  bool optimised = false; // Huffman tables of its own
  bool progressive = false;
  int restart = 0;
};

// libjpeg's encoder, writing to memory.
struct MemoryJpeg {
  MemoryJpeg() {
    jpeg.err = jpeg_std_error(&errors);
    jpeg_create_compress(&jpeg);
    jpeg_mem_dest(&jpeg, &out, &size);
  }
  MemoryJpeg(const MemoryJpeg&) = delete;
  MemoryJpeg& operator=(const MemoryJpeg&) = delete;
  ~MemoryJpeg() {
    jpeg_destroy_compress(&jpeg);
    std::free(out);
  }
  std::vector<std::uint8_t> finish() {
    jpeg_finish_compress(&jpeg);
    return {out, out + size};
  }

  jpeg_compress_struct jpeg{};
  jpeg_error_mgr errors{};
  unsigned char* out = nullptr;
  unsigned long size = 0; // NOLINT: libjpeg's type
};

// Noise over a gradient: long and short codes, large and small coefficients.
inline std::vector<std::uint8_t> encode(
    const Encoding& encoding,
    std::uint32_t seed) {
  Image image = pattern(seed, encoding.width, encoding.height);
  for (std::size_t i = 0; i < image.pixels.size(); ++i) {
    const auto noise = image.pixels[i] / (1 + seed % 7 * 9);
    image.pixels[i] = static_cast<std::uint8_t>(
        std::min<std::size_t>(255, i / 3 % image.width * 2 + noise));
  }
  MemoryJpeg file;
  jpeg_compress_struct& jpeg = file.jpeg;
  jpeg.image_width = static_cast<JDIMENSION>(encoding.width);
  jpeg.image_height = static_cast<JDIMENSION>(encoding.height);
  jpeg.input_components = 3;
  jpeg.in_color_space = JCS_RGB;
  jpeg_set_defaults(&jpeg);
  if (encoding.grey) {
    jpeg_set_colorspace(&jpeg, JCS_GRAYSCALE);
  }
  jpeg_set_quality(&jpeg, encoding.quality, TRUE);
  jpeg.comp_info[0].h_samp_factor = encoding.h;
  jpeg.comp_info[0].v_samp_factor = encoding.v;
  jpeg.optimize_coding = encoding.optimised ? TRUE : FALSE;
  jpeg.restart_interval = static_cast<unsigned>(encoding.restart);
  if (encoding.progressive) {
    jpeg_simple_progression(&jpeg);
  }
  jpeg_start_compress(&jpeg, TRUE);
  while (jpeg.next_scanline < jpeg.image_height) {
    JSAMPROW row = image.pixels.data() +
        static_cast<std::size_t>(jpeg.next_scanline) * encoding.width * 3;
    jpeg_write_scanlines(&jpeg, &row, 1);
  }
  return file.finish();
}

// A grey image of one block: its quantised coefficients in row order, and the
// step that all of them are multiplied by.
inline std::vector<std::uint8_t> encode_block(
    const std::array<int, 64>& coefficients,
    int step) {
  MemoryJpeg file;
  jpeg_compress_struct& jpeg = file.jpeg;
  jpeg.image_width = DCTSIZE;
  jpeg.image_height = DCTSIZE;
  jpeg.input_components = 1;
  jpeg.in_color_space = JCS_GRAYSCALE;
  jpeg_set_defaults(&jpeg);
  std::array<unsigned, 64> steps{};
  steps.fill(static_cast<unsigned>(step));
  jpeg_add_quant_table(&jpeg, 0, steps.data(), 100, TRUE);
  auto* common = reinterpret_cast<j_common_ptr>(&jpeg);
  jvirt_barray_ptr array = (*jpeg.mem->request_virt_barray)(
      common, JPOOL_IMAGE, TRUE, /*blocksperrow=*/1, /*numrows=*/1, 1);
  jpeg_write_coefficients(&jpeg, &array);
  JCOEF* block =
      (*jpeg.mem->access_virt_barray)(common, array, 0, 1, TRUE)[0][0];
  std::copy(coefficients.begin(), coefficients.end(), block);
  return file.finish();
}

} // namespace vitrain::image::fixtures
