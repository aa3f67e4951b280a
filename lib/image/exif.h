#pragma once

#include <cstdint>
#include <span>

#include "image/image.h"

namespace vitrain::image {

// The orientation tag (1 to 8) in the Exif data of a JPEG, PNG or WebP file; 1
// where there is none or it is malformed. Never throws.
int exif_orientation(std::span<const std::uint8_t> bytes);

// The image as the tag wants it shown: 2 to 8 flip and turn it, any other value
// leaves it as it is.
Image oriented(Image image, int orientation);

} // namespace vitrain::image
