#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>
#include <vector>

namespace vitrain::image {

// Image of 8-bit RGB pixels, rows from top to bottom, three bytes per pixel, no
// padding.
struct Image {
  int width = 0;
  int height = 0;
  std::vector<std::uint8_t> pixels; // [height, width, 3]
  // Number of defects in the file that the decoder worked around.
  int warnings = 0;
  // True if, without DecodeOptions::range, grey samples of more than 8 bits
  // were clipped to [0, 255] (NaN to 0), or all were at most 1 and some of them
  // fractions, which become black.
  bool clipped = false;

  Image() = default;
  // Creates a black image.
  Image(int columns, int rows)
      : width(columns),
        height(rows),
        pixels(static_cast<std::size_t>(columns) * rows * 3) {}
};

// A rectangle in whole pixels.
struct Rect {
  int left = 0;
  int top = 0;
  int width = 0;
  int height = 0;

  bool operator==(const Rect&) const = default;
};

// Non-owning view of the pixels of an Image, or of a rectangle in one.
struct View {
  const std::uint8_t* pixels = nullptr;
  int width = 0;
  int height = 0;
  std::size_t stride = 0; // distance between rows in bytes

  View() = default;
  // Creates a view of rows without padding.
  View(const std::uint8_t* from, int columns, int rows)
      : pixels(from),
        width(columns),
        height(rows),
        stride(static_cast<std::size_t>(columns) * 3) {}
  explicit View(const Image& image)
      : View(image.pixels.data(), image.width, image.height) {}

  const std::uint8_t* row(int y) const {
    return pixels + static_cast<std::size_t>(y) * stride;
  }
  // Returns a view of the part inside `rect`, which must be inside this view.
  View crop(const Rect& rect) const {
    View part = *this;
    part.pixels = row(rect.top) + static_cast<std::size_t>(rect.left) * 3;
    part.width = rect.width;
    part.height = rect.height;
    return part;
  }
};

// A part of an image: `view` shows its pixels from (left, top) on.
struct ImagePart {
  View view;
  int left = 0;
  int top = 0;
};

// Sets all pixels to one colour.
inline void fill_with(
    std::span<std::uint8_t> pixels,
    const std::array<std::uint8_t, 3>& colour) {
  for (std::size_t i = 0; i + 3 <= pixels.size(); i += 3) {
    std::memcpy(pixels.data() + i, colour.data(), colour.size());
  }
}

// Reinterpret bytes as text, and text as bytes.
inline std::string_view text_of(std::span<const std::uint8_t> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}
inline std::span<const std::uint8_t> bytes_of(std::string_view text) {
  return {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()};
}

} // namespace vitrain::image
