#include "image/formats/decode.h"

#include <algorithm>
#include <array>
#include <limits>
#include <string_view>
#include <utility>

#include "core/check.h"
#include "image/formats/exif.h"
#include "image/formats/formats.h"
#include "image/operations/channels.h"

namespace vitrain::image {
namespace {

using namespace std::string_view_literals;

struct Codec {
  const char* name;
  detail::Size (*size)(detail::Bytes);
  Image (*decode)(detail::Bytes, const DecodeOptions&);
  // Peak memory in bytes per pixel, including three for the result. Decoders
  // that work row by row need no more; libjpeg keeps two bytes per coefficient
  // of a progressive file; libwebp and others keep their own planes or pixels.
  std::int64_t bytes_per_pixel = 11;
  // Null unless the format supports channel counts other than 1 and 3.
  detail::Size (*channels_size)(detail::Bytes) = nullptr;
  std::vector<Image> (
      *decode_channels)(detail::Bytes, int, const DecodeOptions&) = nullptr;
};

constexpr Codec kJpeg{"JPEG", detail::jpeg_size, detail::decode_jpeg};
constexpr Codec kPng{
    .name = "PNG",
    .size = detail::png_size,
    .decode = detail::decode_png,
    .channels_size = detail::png_size,
    .decode_channels = detail::decode_png_channels};
constexpr Codec kWebp{"WebP", detail::webp_size, detail::decode_webp};
constexpr Codec kBmp{"BMP", detail::bmp_size, detail::decode_bmp, 3};
constexpr Codec kPpm{"PPM", detail::ppm_size, detail::decode_ppm, 3};
constexpr Codec kGif{"GIF", detail::gif_size, detail::decode_gif, 3};
// 18 bytes per pixel: a strip, which may be the whole image, with six samples
// of 16 bits (12), the result (3) and its rotated copy (3).
constexpr Codec kTiff{
    "TIFF",
    detail::tiff_size,
    detail::decode_tiff,
    18,
    detail::tiff_channels_size,
    detail::decode_tiff_channels};
// 18 bytes per pixel: four planes of 16 bits (8), three of 8 bits (3), RGBA
// pixels (4) and the result (3).
constexpr Codec kAvif{"AVIF", detail::avif_size, detail::decode_avif, 18};
constexpr Codec kPacked{
    "packed JPEG",
    detail::packed_jpeg_size,
    detail::decode_packed_jpeg};

struct Signature {
  std::size_t offset;
  std::string_view bytes;
  const char* name;
  const Codec* codec = nullptr; // null: recognised, but not supported
};

// Signatures of formats that occur in image folders.
constexpr std::array kSignatures = {
    Signature{0, "\xFF\xD8\xFF"sv, "JPEG", &kJpeg},
    Signature{0, "\x89PNG\r\n\x1A\n"sv, "PNG", &kPng},
    Signature{0, "VJC1"sv, "packed JPEG", &kPacked},
    Signature{0, "GIF87a"sv, "GIF", &kGif},
    Signature{0, "GIF89a"sv, "GIF", &kGif},
    Signature{8, "WEBP"sv, "WebP", &kWebp},
    Signature{0, "BM"sv, "BMP", &kBmp},
    Signature{4, "ftyphei"sv, "a HEIC image"},
    Signature{4, "ftyphev"sv, "a HEIC image"},
    Signature{4, "ftypmif1"sv, "a HEIF image"},
    Signature{4, "ftypmsf1"sv, "a HEIF image"},
    Signature{4, "ftyp"sv, "an MP4 video"},
    Signature{0, "II*\0"sv, "TIFF", &kTiff},
    Signature{0, "MM\0*"sv, "TIFF", &kTiff},
    Signature{0, "II+\0"sv, "TIFF", &kTiff}, // BigTIFF
    Signature{0, "MM\0+"sv, "TIFF", &kTiff},
    Signature{0, "\0\0\0\x0CjP"sv, "a JPEG 2000 image"},
    Signature{0, "\xFF\x4F\xFF\x51"sv, "a JPEG 2000 codestream"},
    Signature{0, "\0\0\0\x0CJXL"sv, "a JPEG XL image"},
    Signature{0, "\xFF\x0A"sv, "a JPEG XL image"},
    Signature{0, "qoif"sv, "a QOI image"},
    Signature{0, "8BPS"sv, "a Photoshop image"},
    Signature{0, "\0\0\x01\0"sv, "an icon"},
    Signature{0, "PK\x03\x04"sv, "a zip archive"},
    Signature{0, "\x1F\x8B"sv, "gzip data"},
    Signature{0, "%PDF"sv, "a PDF document"},
    Signature{
        0,
        "version https://git-lfs"sv,
        "a Git LFS pointer, not the file"},
};

// Returns true for a Netpbm file. Its magic number is two letters, with which
// text can begin, too, so white space must follow.
bool is_ppm(std::string_view text) {
  return text.size() >= 3 && text[0] == 'P' && text[1] >= '1' &&
      text[1] <= '6' && " \t\n\v\f\r"sv.find(text[2]) != text.npos;
}

const Signature* recognise(std::string_view text) {
  // AVIF is recognised by its list of brands, whose first entry may be another
  // format's.
  static constexpr Signature kBrands{4, "ftyp"sv, "AVIF", &kAvif};
  if (detail::is_avif(bytes_of(text))) {
    return &kBrands;
  }
  for (const Signature& known : kSignatures) {
    if (text.size() >= known.offset &&
        text.substr(known.offset).starts_with(known.bytes)) {
      return &known;
    }
  }
  static constexpr Signature kNetpbm{0, "P"sv, "PPM", &kPpm};
  return is_ppm(text) ? &kNetpbm : nullptr;
}

bool is_text(std::string_view start) {
  return std::all_of(start.begin(), start.end(), [](char c) {
    return (c >= ' ' && c <= '~') || c == '\n' || c == '\r' || c == '\t';
  });
}

const Codec& codec_of(std::span<const std::uint8_t> bytes) {
  const Signature* known = recognise(text_of(bytes));
  VITRAIN_CHECK_DATA(
      known != nullptr && known->codec != nullptr,
      "the content is {}; supported are JPEG, PNG, WebP, AVIF, TIFF, BMP, PPM "
      "and GIF (recognised by content, whatever the file's name)",
      describe_content(bytes));
  return *known->codec;
}

} // namespace

std::string describe_content(std::span<const std::uint8_t> bytes) {
  const std::string_view text = text_of(bytes);
  if (text.empty()) {
    return "an empty file";
  }
  if (const Signature* known = recognise(text)) {
    return known->name;
  }
  const std::string_view start = text.substr(0, 64);
  if (is_text(start)) {
    return "text or HTML";
  }
  std::string shown;
  for (const char c : start.substr(0, 8)) {
    shown += fmt::format(" {:02x}", static_cast<unsigned char>(c));
  }
  return "unknown content that starts with" + shown;
}

Image decode(
    std::span<const std::uint8_t> bytes,
    const DecodeOptions& options) {
  Image image = codec_of(bytes).decode(bytes, options);
  // Not `?:`, which would copy the image.
  if (options.exif_orientation) {
    return oriented(std::move(image), exif_orientation(bytes));
  }
  return image;
}

std::vector<Image> decode_channels(
    std::span<const std::uint8_t> bytes,
    int channels,
    const DecodeOptions& options) {
  const Codec& codec = codec_of(bytes);
  VITRAIN_CHECK_DATA(
      codec.decode_channels != nullptr,
      "is a {} file, which has colours or grey, and {} channels are wanted: "
      "TIFF files can have any number of them, PNG files 2 or 4",
      codec.name,
      channels);
  std::vector<Image> pictures = codec.decode_channels(bytes, channels, options);
  const int orientation =
      options.exif_orientation ? exif_orientation(bytes) : 1;
  for (Image& picture : pictures) {
    picture = oriented(std::move(picture), orientation);
  }
  return pictures;
}

namespace {

// Returns the peak memory of decode_channels() in bytes: the samples (twice if
// they are buffered per block) and the pictures (twice during rotation).
std::int64_t channels_bytes(
    const Codec& codec,
    detail::Bytes bytes,
    int channels,
    const DecodeOptions& options) {
  const detail::Size size = codec.channels_size(bytes);
  detail::check_size(size, options);
  return size.width * size.height *
      (std::int64_t{2} * channels + std::int64_t{6} * pictures_of(channels));
}

} // namespace

std::int64_t decode_bytes(
    std::span<const std::uint8_t> bytes,
    const DecodeOptions& options,
    int channels) {
  try {
    const Codec& codec = codec_of(bytes);
    if (!are_colours(channels)) {
      return codec.channels_size == nullptr
          ? 0
          : channels_bytes(codec, bytes, channels, options);
    }
    const detail::Size size = codec.size(bytes);
    detail::check_size(size, options);
    // PNG files are read row by row unless they are interlaced.
    constexpr std::size_t kPngInterlace = 28;
    const bool rows = codec.decode == detail::decode_png &&
        bytes.size() > kPngInterlace && bytes[kPngInterlace] == 0;
    // Rotation needs another image.
    const bool turned =
        options.exif_orientation && exif_orientation(bytes) != 1;
    return size.width * size.height *
        ((rows ? 3 : codec.bytes_per_pixel) + (turned ? 3 : 0));
  } catch (const Error&) {
    return 0; // decode() reports the error
  }
}

ImageHeader read_header(std::span<const std::uint8_t> bytes) {
  const Codec& codec = codec_of(bytes);
  const detail::Size size = codec.size(bytes);
  VITRAIN_CHECK_DATA(
      std::min(size.width, size.height) > 0 &&
          std::max(size.width, size.height) <= std::numeric_limits<int>::max(),
      "the image claims a size of {} x {} pixels",
      size.width,
      size.height);
  return {
      .format = codec.name,
      .width = static_cast<int>(size.width),
      .height = static_cast<int>(size.height)};
}

namespace detail {

void check_size(const Size& size, const DecodeOptions& options) {
  VITRAIN_CHECK_DATA(
      size.width > 0 && size.height > 0,
      "the image claims a size of {} x {} pixels",
      size.width,
      size.height);
  VITRAIN_CHECK_DATA(
      size.width <= options.max_pixels / size.height,
      "the image claims {} x {} pixels, more than the limit of {} pixels",
      size.width,
      size.height,
      options.max_pixels);
}

void check_density(const Size& size, std::size_t bytes) {
  constexpr std::int64_t kLarge = std::int64_t{16} << 20;
  const std::int64_t pixels = size.width * size.height;
  VITRAIN_CHECK_DATA(
      pixels <= kLarge || static_cast<std::size_t>(pixels) / 16384 < bytes,
      "{} bytes claim {} x {} pixels, far more than photographs have: refused "
      "as a decompression bomb",
      bytes,
      size.width,
      size.height);
}

Image blank(const Size& size) {
  return {static_cast<int>(size.width), static_cast<int>(size.height)};
}

std::vector<Image> blank_pictures(const Size& size, int channels) {
  return std::vector<Image>(
      static_cast<std::size_t>(pictures_of(channels)), blank(size));
}

} // namespace detail
} // namespace vitrain::image
