#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "image/image.h"

namespace vitrain::image {

// The orientation tag (1 to 8) in the Exif data or XMP of a JPEG, PNG or WebP
// file, or what an AVIF file's rotation and mirroring amount to, else its XMP;
// 1 where there is none or it is malformed, and for a TIFF, which decode() has
// turned. Never throws.
int exif_orientation(std::span<const std::uint8_t> bytes);

// That of an XMP packet; 1 where there is none.
int xmp_orientation(std::string_view packet);

// The image as the tag wants it shown: 2 to 8 flip and turn it, any other value
// leaves it as it is.
Image oriented(Image image, int orientation);

} // namespace vitrain::image
