#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "image/image.h"
#include "image/operations/crop_math.h"
#include "pictures/drawing.h"

namespace vitrain::pictures {

// Returns the width in pixels of the widest caption, rounded up.
int caption_width(std::span<const std::string> captions);

// A sheet of images of one size in rows and columns, with a gap between them
// and a caption below each. A sheet has at most 8 Mi pixels: if the images do
// not fit, they are reduced. Reduced images narrower than 40 pixels have no
// caption.
class ContactSheet {
 public:
  // Creates a sheet for `count` images [height, width, channels]. With one or
  // two channels it shows the first one as grey, with more the first three as
  // red, green and blue. `widest`: caption_width(); 0: no captions. Captions
  // are shortened to the width of the image or, below images narrower than 64
  // pixels that are not reduced, to min(widest, 64) pixels. Throws
  // Error(kUsage) if `count` images do not fit even when their longer side is
  // reduced to 16 pixels.
  ContactSheet(
      std::int64_t count,
      const image::Size& size,
      int channels,
      int widest);

  // Adds the next image and its caption (UTF-8).
  void add(std::span<const std::uint8_t> pixels, std::string_view caption);

  int columns() const { return columns_; }
  // Size of an image on the sheet; at most the original size.
  const image::Size& tile() const { return tile_; }
  const image::Image& image() const { return drawing_.image(); }

 private:
  bool fits(std::int64_t count);
  void set_longer_side(int longer);

  image::Size size_;
  int channels_;
  image::Size tile_;
  int width_; // width of an image or its caption, whichever is larger
  int caption_; // height of a caption; 0: none
  int columns_ = 1;
  image::Size sheet_; // size of the sheet
  std::int64_t added_ = 0;
  Drawing drawing_;
};

} // namespace vitrain::pictures
