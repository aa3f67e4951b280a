#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "image/formats/formats.h"

namespace vitrain::image::detail {

// What a file carries beside its pixels, as far as it says how to turn them.
struct Metadata {
  std::vector<std::uint8_t> exif; // a TIFF structure, or "Exif\0\0" and one
  std::string xmp; // a packet of XML
};

// From the segments of a JPEG, the chunks of a PNG (eXIf, and XMP in an iTXt
// that is not compressed) or of a WebP; empty for other formats and where the
// file is damaged.
Metadata read_metadata(Bytes bytes);

} // namespace vitrain::image::detail
