#include "image/decode.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "core/check.h"
#include "image/formats.h"

namespace vitrain::image {
namespace {

using namespace std::string_view_literals;

struct Signature {
  std::size_t offset;
  std::string_view bytes;
  const char* name;
};

// First bytes of formats that are found in image folders.
constexpr std::array kSignatures = {
    Signature{0, "\xFF\xD8\xFF"sv, "JPEG"},
    Signature{0, "\x89PNG\r\n\x1A\n"sv, "PNG"},
    Signature{0, "GIF8"sv, "a GIF image"},
    Signature{8, "WEBP"sv, "a WebP image"},
    Signature{0, "BM"sv, "a BMP image"},
    Signature{4, "ftypavif"sv, "an AVIF image"},
    Signature{4, "ftyp"sv, "a HEIC image or an MP4 video"},
    Signature{0, "II*\0"sv, "a TIFF image"},
    Signature{0, "MM\0*"sv, "a TIFF image"},
    Signature{0, "\0\0\0\x0CjP"sv, "a JPEG 2000 image"},
    Signature{0, "\0\0\0\x0CJXL"sv, "a JPEG XL image"},
    Signature{0, "\xFF\x0A"sv, "a JPEG XL image"},
    Signature{0, "PK\x03\x04"sv, "a zip archive"},
    Signature{0, "\x1F\x8B"sv, "gzip data"},
    Signature{0, "%PDF"sv, "a PDF document"},
};

bool is_text(std::string_view start) {
  return std::all_of(start.begin(), start.end(), [](char c) {
    return (c >= ' ' && c <= '~') || c == '\n' || c == '\r' || c == '\t';
  });
}

} // namespace

std::string describe_content(std::span<const std::uint8_t> bytes) {
  const std::string_view text(
      reinterpret_cast<const char*>(bytes.data()), bytes.size());
  if (text.empty()) {
    return "an empty file";
  }
  for (const Signature& known : kSignatures) {
    if (text.size() >= known.offset &&
        text.substr(known.offset).starts_with(known.bytes)) {
      return known.name;
    }
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
  const std::string content = describe_content(bytes);
  if (content == "JPEG") {
    return detail::decode_jpeg(bytes, options);
  }
  if (content == "PNG") {
    return detail::decode_png(bytes, options);
  }
  fail(
      ExitCode::kData,
      "the content is {}; supported are JPEG and PNG (recognised by content, "
      "whatever the file's name)",
      content);
}

namespace detail {

void check_size(
    std::int64_t width,
    std::int64_t height,
    const DecodeOptions& options) {
  VITRAIN_CHECK(
      width > 0 && height > 0,
      ExitCode::kData,
      "the image claims a size of {} x {} pixels",
      width,
      height);
  VITRAIN_CHECK(
      width <= options.max_pixels / height,
      ExitCode::kData,
      "the image claims {} x {} pixels, more than the limit of {} pixels",
      width,
      height,
      options.max_pixels);
}

} // namespace detail
} // namespace vitrain::image
