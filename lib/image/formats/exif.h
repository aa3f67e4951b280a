#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "image/image.h"

namespace vitrain::image {

// Returns the orientation tag (1 to 8) from the Exif data or XMP of a JPEG
// (plain or packed), PNG or WebP file. For an AVIF file returns the orientation
// equivalent to its rotation and mirroring or, without these and without the
// tag in its Exif data, that of its XMP. Returns 1 if the tag is absent or
// malformed, for other formats, and for a TIFF, which decode() has already
// rotated. Never throws.
int exif_orientation(std::span<const std::uint8_t> bytes);

// Returns the orientation (1 to 8) in an XMP packet; 1 if absent or invalid.
int xmp_orientation(std::string_view packet);

// Returns the image after applying an orientation: 2 to 8 flip and rotate it;
// other values leave it unchanged.
Image oriented(Image image, int orientation);

} // namespace vitrain::image
