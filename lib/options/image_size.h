#pragma once

#include <cstdint>
#include <string>

namespace vitrain {

// Size of images in pixels. A single number means a square.
struct ImageSize {
  std::int64_t height = 0;
  std::int64_t width = 0;

  ImageSize() = default;
  ImageSize(std::int64_t side) : height(side), width(side) {}
  ImageSize(std::int64_t high, std::int64_t wide) : height(high), width(wide) {}

  bool operator==(const ImageSize&) const = default;
  bool square() const { return height == width; }
  std::int64_t area() const { return height * width; }

  // Returns "224" for a square, otherwise height and width: "224x192".
  std::string text() const {
    return square() ? std::to_string(height)
                    : std::to_string(height) + "x" + std::to_string(width);
  }
};

} // namespace vitrain
