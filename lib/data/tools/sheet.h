#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "image/image.h"

namespace vitrain::data {

// Squares of pixels side by side with a gap between them, each with a caption
// below. A sheet has at most 8 Mi pixels: so that more squares have room, they
// are reduced, and short of 40 pixels have no caption.
class ContactSheet {
 public:
  // For `count` squares of [size, size, channels]; one channel is shown as
  // grey. Captions have at most `letters` letters; longer ones are cut, as are
  // those of more than 64 pixels where squares are smaller. Throws
  // Error(kUsage) when there is no room for so many.
  ContactSheet(std::int64_t count, int size, int channels, int letters);

  // The next square and its caption, in UTF-8.
  void add(std::span<const std::uint8_t> square, std::string_view caption);

  int columns() const { return columns_; }
  int tile() const { return tile_; } // side of a square on the sheet
  const image::Image& image() const { return sheet_; }

 private:
  bool fits(std::int64_t count);
  void write(std::string_view caption, int left, int top);

  int size_;
  int channels_;
  int tile_;
  int width_; // of a square or its caption
  int caption_; // height of a caption
  int columns_ = 1;
  std::int64_t added_ = 0;
  image::Image sheet_;
};

} // namespace vitrain::data
