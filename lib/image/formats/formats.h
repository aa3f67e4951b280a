#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "image/formats/decode.h"

// One file per format, for decode() and read_header() only.
namespace vitrain::image::detail {

using Bytes = std::span<const std::uint8_t>;

struct Size {
  std::int64_t width = 0;
  std::int64_t height = 0;
};

// All throw Error(kData). The size functions read the header and nothing else;
// the decode functions ignore DecodeOptions::exif_orientation, which decode()
// applies.

// Through libjpeg-turbo: every kind of file that it can read.
Size jpeg_size(Bytes bytes);
Image decode_jpeg(Bytes bytes, const DecodeOptions& options);

Size png_size(Bytes bytes);
Image decode_png(Bytes bytes, const DecodeOptions& options);
// As decode_channels(), here and of TIFF.
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

// Turned as the orientation tag says, whatever the options.
Size tiff_size(Bytes bytes);
Image decode_tiff(Bytes bytes, const DecodeOptions& options);
// The size whatever the samples are.
Size tiff_channels_size(Bytes bytes);
std::vector<Image>
decode_tiff_channels(Bytes bytes, int channels, const DecodeOptions& options);

// Whether the file names AVIF among its brands.
bool is_avif(Bytes bytes);
Size avif_size(Bytes bytes);
Image decode_avif(Bytes bytes, const DecodeOptions& options);
// Rotation and mirroring as an orientation tag; 1 for damaged files.
int avif_orientation(Bytes bytes);
// Exif data and XMP packet of an AVIF file; empty where it has none or they
// cannot be read.
struct AvifMetadata {
  std::vector<std::uint8_t> exif;
  std::string xmp;
};
AvifMetadata avif_metadata(Bytes bytes);

// Throws Error(kData) when the claimed size is empty or over the limit.
void check_size(const Size& size, const DecodeOptions& options);

// Some coders need next to no bytes for pixels of one colour, so a few bytes
// can truthfully claim any size. Throws Error(kData) for more than 16 Mi pixels
// of which 16384 and more would be in one byte, which no photograph comes near.
void check_density(const Size& size, std::size_t bytes);

// A black image of this size.
Image blank(const Size& size);
// Returns black pictures of an image with `channels` channels.
std::vector<Image> blank_pictures(const Size& size, int channels);

} // namespace vitrain::image::detail
