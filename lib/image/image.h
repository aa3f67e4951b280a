#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace vitrain::image {

// 8-bit RGB pixels, rows from top to bottom, three bytes a pixel, no padding.
struct Image {
  int width = 0;
  int height = 0;
  std::vector<std::uint8_t> pixels; // [height, width, 3]
  // Defects of the file that the decoder reported and worked around.
  int warnings = 0;
};

// A rectangle of whole pixels.
struct Rect {
  int left = 0;
  int top = 0;
  int width = 0;
  int height = 0;

  bool operator==(const Rect&) const = default;
};

// Pixels of an Image, or of a rectangle of one, without owning them.
struct View {
  const std::uint8_t* pixels = nullptr;
  int width = 0;
  int height = 0;
  std::size_t stride = 0; // bytes from one row to the next

  View() = default;
  explicit View(const Image& image)
      : pixels(image.pixels.data()),
        width(image.width),
        height(image.height),
        stride(static_cast<std::size_t>(image.width) * 3) {}

  const std::uint8_t* row(int y) const {
    return pixels + static_cast<std::size_t>(y) * stride;
  }
  // The part inside `rect`, which must lie inside this view.
  View crop(const Rect& rect) const {
    View part = *this;
    part.pixels = row(rect.top) + static_cast<std::size_t>(rect.left) * 3;
    part.width = rect.width;
    part.height = rect.height;
    return part;
  }
};

} // namespace vitrain::image
