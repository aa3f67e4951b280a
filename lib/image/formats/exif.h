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

// Returns the orientation in an XMP packet; 1 if absent.
int xmp_orientation(std::string_view packet);

// Applies an orientation: 2 to 8 flip and rotate the image; other values change
// nothing.
Image oriented(Image image, int orientation);

} // namespace vitrain::image
