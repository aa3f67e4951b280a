#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "image/image.h"

namespace vitrain::image {

// How files become pixels; one object is handed down to every decoder.
struct DecodeOptions {
  // Limit of pixels, checked before any allocation: Pillow's error limit, twice
  // its warning limit of 89,478,485.
  std::int64_t max_pixels = 178'956'970;
  // Bytes that all threads of a process may use together for decoding
  // (decode_room.h).
  std::int64_t memory = std::int64_t{1} << 30;
  // Scans of a JPEG; a progressive one has about ten.
  int max_scans = 100;
  // Turn the image as its Exif orientation tag says; off, the tag is ignored,
  // as Image.open and torchvision's ImageFolder do.
  bool exif_orientation = false;
  // Values that become 0 and 255 in PNG, TIFF and PPM files with more than 8
  // bits a sample; those between are scaled, those outside clipped. None: as
  // Pillow does, which clips grey values at 0 and 255 and keeps the high byte
  // of colours.
  std::optional<std::array<double, 2>> range{};

  bool operator==(const DecodeOptions&) const = default;
};

// Pixels of a JPEG, PNG, WebP, AVIF, TIFF, BMP, PPM (PBM, PGM) or GIF file, of
// several images or frames the first. The format is recognised by the content,
// never by a name. The result equals Pillow's Image.open(file).convert("RGB"),
// and with exif_orientation ImageOps.exif_transpose of it: accurate integer DCT
// and smooth chroma for JPEG, Adobe's inverted CMYK; a TIFF is turned as its
// orientation tag says, with or without exif_orientation; transparency is
// dropped; gamma and colour profiles are ignored. A file that ends before its
// last pixel is an error; defects that the decoder works around are counted in
// Image::warnings, and clipped grey values set Image::clipped. Throws
// Error(kData) with the reason, without a path (bytes have none). Thread-safe.
Image decode(
    std::span<const std::uint8_t> bytes,
    const DecodeOptions& options = {});

// Decodes a file with other channel counts than 1 and 3 into pictures
// (operations/channels.h): a TIFF with that many 8-bit samples per pixel, in
// the order of the file, or an 8-bit PNG with grey and alpha (2) or red, green,
// blue and alpha (4). Applies the orientation as decode(). Also throws
// Error(kData) for other files. Thread-safe.
std::vector<Image> decode_channels(
    std::span<const std::uint8_t> bytes,
    int channels,
    const DecodeOptions& options = {});

// Returns an estimate of the peak bytes of decode() (or decode_channels() for
// other channel counts), including its result; 0 for files that it refuses.
// Reads the header only. Thread-safe.
std::int64_t decode_bytes(
    std::span<const std::uint8_t> bytes,
    const DecodeOptions& options = {},
    int channels = 3);

// Header of an image file.
struct Header {
  std::string format; // "JPEG", "PNG", "WebP", "AVIF", "TIFF", "BMP", ...
  int width = 0; // in pixels, before any orientation (of a TIFF: after it)
  int height = 0;
};

// Reads the header without decoding pixels: takes microseconds and constant
// memory. Throws Error(kData) for unreadable files, as decode(), but without a
// size limit. Thread-safe.
Header read_header(std::span<const std::uint8_t> bytes);

// Describes the bytes for messages: "JPEG", "PNG", "an icon", "text or HTML",
// "unknown content that starts with 00 01 02 03".
std::string describe_content(std::span<const std::uint8_t> bytes);

} // namespace vitrain::image
