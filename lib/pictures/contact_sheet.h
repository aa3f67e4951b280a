#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "image/image.h"
#include "image/resample/crop_math.h"
#include "pictures/drawing.h"

namespace vitrain::pictures {

// Pixels of the widest one below a picture of a sheet.
int caption_width(std::span<const std::string> captions);

// Images of one size side by side with a gap between them, each with a caption
// below. A sheet has at most 8 Mi pixels: so that more images have room, they
// are reduced, and narrower than 40 pixels have no caption.
class ContactSheet {
 public:
  // Sheet for `count` images [height, width, channels]; image::in_colours.
  // Captions are shortened to `widest` pixels, and to 64 pixels for narrower
  // images. Throws Error(kUsage) if there is no room for `count` images.
  ContactSheet(
      std::int64_t count,
      const image::Size& size,
      int channels,
      int widest);

  // The next image and its caption, in UTF-8.
  void add(std::span<const std::uint8_t> pixels, std::string_view caption);

  int columns() const { return columns_; }
  // Size of an image on the sheet, at most the given size.
  const image::Size& tile() const { return tile_; }
  const image::Image& image() const { return drawing_.image(); }

 private:
  bool fits(std::int64_t count);
  void set_longer_side(int longer);

  image::Size size_;
  int channels_;
  image::Size tile_;
  int width_; // of an image or its caption
  int caption_; // height of a caption
  int columns_ = 1;
  image::Size sheet_; // as laid out
  std::int64_t added_ = 0;
  Drawing drawing_;
};

} // namespace vitrain::pictures
