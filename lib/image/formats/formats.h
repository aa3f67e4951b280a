#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "image/formats/decode.h"

// Decoders of the formats, and what they share. Code outside this folder calls
// the functions of decode.h instead.
namespace vitrain::image::detail {

using Bytes = std::span<const std::uint8_t>;

struct Size {
  std::int64_t width = 0;
  std::int64_t height = 0;
};

// The size and decode functions throw Error(kData), or Error(kOutOfMemory) if a
// library lacks memory. The size functions read only the header (of a packed
// JPEG the whole file, for its checksum). The decode functions ignore
// DecodeOptions::exif_orientation, which image::decode() and decode_channels()
// apply.

// Accept every type of JPEG file that libjpeg-turbo can read.
Size jpeg_size(Bytes bytes);
Image decode_jpeg(Bytes bytes, const DecodeOptions& options);

Size png_size(Bytes bytes);
Image decode_png(Bytes bytes, const DecodeOptions& options);
// Implements decode_channels() for PNG.
std::vector<Image>
decode_png_channels(Bytes bytes, int channels, const DecodeOptions& options);

Size webp_size(Bytes bytes);
Image decode_webp(Bytes bytes, const DecodeOptions& options);

Size bmp_size(Bytes bytes);
Image decode_bmp(Bytes bytes, const DecodeOptions& options);

Size ppm_size(Bytes bytes);
Image decode_ppm(Bytes bytes, const DecodeOptions& options);

Size packed_jpeg_size(Bytes bytes);
Image decode_packed_jpeg(Bytes bytes, const DecodeOptions& options);

Size gif_size(Bytes bytes);
Image decode_gif(Bytes bytes, const DecodeOptions& options);

// All results for TIFF, also the sizes, are after the rotation that the
// orientation tag says, whatever the options are.
Size tiff_size(Bytes bytes);
Image decode_tiff(Bytes bytes, const DecodeOptions& options);
// Implement decode_channels() for TIFF. The size is returned for any type and
// number of samples.
Size tiff_channels_size(Bytes bytes);
std::vector<Image>
decode_tiff_channels(Bytes bytes, int channels, const DecodeOptions& options);

// Returns true if AVIF is one of the file's brands.
bool is_avif(Bytes bytes);
Size avif_size(Bytes bytes);
Image decode_avif(Bytes bytes, const DecodeOptions& options);
// Returns rotation and mirroring as an orientation tag (1 to 8); 1 if there are
// none, or for damaged files.
int avif_orientation(Bytes bytes);
// Exif data and XMP packet of an AVIF file; empty if absent or unreadable.
struct AvifMetadata {
  std::vector<std::uint8_t> exif;
  std::string xmp;
};
AvifMetadata avif_metadata(Bytes bytes);

// Throws Error(kData) if the size in the header is empty or above the limit.
void check_size(const Size& size, const DecodeOptions& options);

// Limits pixels per byte, because in some formats a uniform image of any size
// needs only a few bytes. Throws Error(kData) if the image has more than 16 Mi
// pixels and at least 16384 pixels per byte of the file; photographs are far
// from that.
void check_density(const Size& size, std::size_t bytes);

// Returns a black image of this size.
Image blank(const Size& size);
// Returns the black pictures of an image with `channels` channels
// (operations/channels.h).
std::vector<Image> blank_pictures(const Size& size, int channels);

} // namespace vitrain::image::detail
