#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "image/image.h"

namespace vitrain::image {

// Options for decoding image files; passed to every decoder.
struct DecodeOptions {
  // Maximum number of pixels, checked before any allocation. The default is
  // Pillow's error limit, twice its warning limit of 89,478,485.
  std::int64_t max_pixels = 178'956'970;
  // Maximum number of bytes that all threads of a process together may use for
  // decoding (decode_room.h).
  std::int64_t memory = std::int64_t{1} << 30;
  // Maximum number of scans in a JPEG; a progressive one has about ten.
  int max_scans = 100;
  // True: rotates and flips the image as its Exif orientation tag says. False:
  // ignores the tag, as Image.open and torchvision's ImageFolder do.
  bool exif_orientation = false;
  // Sample values [low, high] that are mapped to 0 and 255 in PNG, TIFF and PPM
  // files with more than 8 bits per sample; values between them are scaled
  // linearly, others clipped. nullopt: as Pillow, which clips grey values to
  // [0, 255] and keeps the high byte of colour samples.
  std::optional<std::array<double, 2>> range{};

  bool operator==(const DecodeOptions&) const = default;
};

// Decodes a JPEG (also packed, jpeg/packed_jpeg.h), PNG, WebP, AVIF, TIFF, BMP,
// PPM (PBM, PGM) or GIF file; the first one of several images or frames. The
// format is recognised by the content, never by a name. Without a range, the
// result equals Pillow's Image.open(file).convert("RGB"), with exif_orientation
// also ImageOps.exif_transpose: accurate integer DCT and smooth chroma for
// JPEG; Adobe's inverted CMYK; a TIFF is rotated as its orientation tag says,
// whatever exif_orientation is; transparency, gamma and colour profiles are
// ignored. A file that ends before its last pixel is an error. Defects that the
// decoder works around are counted in Image::warnings; clipped grey values set
// Image::clipped. Throws Error(kData) with the reason, without a path (bytes
// have none), Error(kOutOfMemory) if a library lacks memory. Thread-safe.
Image decode(
    std::span<const std::uint8_t> bytes,
    const DecodeOptions& options = {});

// Decodes a file with a channel count other than 1 or 3 into pictures of three
// channels each (operations/channels.h): a TIFF with that many 8-bit samples
// per pixel, in the order of the file, or an 8-bit PNG with grey and alpha (2)
// or red, green, blue and alpha (4). Applies the orientation as decode() does.
// Throws the errors of decode(), and Error(kData) for all other files.
// Thread-safe.
std::vector<Image> decode_channels(
    std::span<const std::uint8_t> bytes,
    int channels,
    const DecodeOptions& options = {});

// Returns an estimate of the peak memory of decode() in bytes, including its
// result (for a channel count other than 1 or 3, of decode_channels()); 0 if it
// refuses the format, the header or the size. Does not decode. Thread-safe.
std::int64_t decode_bytes(
    std::span<const std::uint8_t> bytes,
    const DecodeOptions& options = {},
    int channels = 3);

// Format and size of an image file.
struct ImageHeader {
  std::string format; // "JPEG", "packed JPEG", "PNG", "WebP", ...
  int width = 0; // in pixels, before rotation (for a TIFF: after it)
  int height = 0;
};

// Reads the header without decoding pixels; of a packed JPEG also checks the
// checksum. Throws Error(kData) for formats that decode() does not know and for
// damaged headers; has no size limit, and accepts some files that decode()
// refuses. Thread-safe.
ImageHeader read_header(std::span<const std::uint8_t> bytes);

// Returns a description of the bytes for messages: "JPEG", "PNG", "an icon",
// "text or HTML", "unknown content that starts with 00 01 02 03".
std::string describe_content(std::span<const std::uint8_t> bytes);

} // namespace vitrain::image
