#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "image/image.h"

namespace vitrain::image {

// Bounds on what a file may ask for; checked before anything is allocated.
struct DecodeOptions {
  // Pillow refuses more than this (twice its warning limit of 89,478,485).
  std::int64_t max_pixels = 178'956'970;
  // Scans of a progressive JPEG; real ones have about ten.
  int max_scans = 100;
};

// Pixels of a JPEG or PNG file, recognised by its content, never by its name.
// The result equals Pillow's Image.open(file).convert("RGB"): accurate integer
// DCT and smooth chroma for JPEG, Adobe's inverted CMYK; transparency of PNG is
// dropped. Orientation tags, gamma and colour profiles are ignored, as Pillow
// does. A file that ends before its last pixel is an error; defects that the
// decoder works around are counted in Image::warnings. Throws Error(kData) with
// the reason, without a path (bytes have none). Thread-safe.
Image decode(
    std::span<const std::uint8_t> bytes,
    const DecodeOptions& options = {});

// What the bytes look like, for messages: "JPEG", "PNG", "a GIF image",
// "text or HTML", "unknown content that starts with 00 01 02 03".
std::string describe_content(std::span<const std::uint8_t> bytes);

} // namespace vitrain::image
