#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "image/image.h"

namespace vitrain::image {

// RGB pixels that an operation changes in place: rows without padding, [height,
// width, 3]. Requires width, height > 0.
struct Canvas {
  std::span<std::uint8_t> pixels;
  int width = 0;
  int height = 0;

  Canvas() = default;
  Canvas(std::span<std::uint8_t> all, int width_of_rows, int rows)
      : pixels(all), width(width_of_rows), height(rows) {}
  explicit Canvas(Image& image)
      : pixels(image.pixels), width(image.width), height(image.height) {}

  std::size_t row_bytes() const { return static_cast<std::size_t>(width) * 3; }
  std::uint8_t* row(int y) const {
    return pixels.data() + static_cast<std::size_t>(y) * row_bytes();
  }
};

// Buffers for intermediate pixels, which operations reuse; for one thread at a
// time.
struct Scratch {
  std::vector<std::uint8_t> bytes;
  std::vector<std::int32_t> words;
  std::vector<double> numbers;
};

} // namespace vitrain::image
