#include "image/formats/png_write.h"

#include <png.h>
#include <zlib.h>

#include <optional>

#include "core/check.h"

namespace vitrain::image {
namespace {

constexpr std::string_view kSignature = "\x89PNG\r\n\x1a\n";
// Offset of the text chunk: after the signature and the first chunk, IHDR.
constexpr std::size_t kPlace = kSignature.size() + 25;
// The text chunk of every drawn picture: length, type, keyword and text, CRC.
constexpr std::string_view kText(
    "\0\0\0\x10"
    "tEXtSoftware\0vitrain"
    "\x8f\x09\x11\x23",
    28);
static_assert(kPlace + kText.size() == kPngStart);
// Type of the chunk with the description, and its content before the text:
// keyword, compression (none), language and translated keyword (both empty).
constexpr std::string_view kDescribedType = "iTXt";
constexpr std::string_view kDescribedHead("vitrain\0\0\0\0\0", 12);
constexpr std::size_t kWord = 4; // bytes of a length, type or checksum

std::string big_endian(std::uint32_t value) {
  std::string bytes;
  for (int shift = 24; shift >= 0; shift -= 8) {
    bytes += static_cast<char>(value >> shift & 0xFFU);
  }
  return bytes;
}

std::uint32_t big_endian(std::string_view bytes) {
  std::uint32_t value = 0;
  for (const char byte : bytes.substr(0, kWord)) {
    value = value << 8 | static_cast<unsigned char>(byte);
  }
  return value;
}

// Returns the checksum of a chunk's type and content.
std::uint32_t checksum(std::string_view bytes) {
  return static_cast<std::uint32_t>(::crc32(
      0,
      reinterpret_cast<const Bytef*>(bytes.data()),
      static_cast<uInt>(bytes.size())));
}

// Returns the content of the chunk that begins at `at`; stores its type, and
// the start of the next chunk in `at`. nullopt at the end or if the file is
// damaged.
std::optional<std::string_view>
next_chunk(std::string_view file, std::size_t& at, std::string_view& type) {
  if (at + 3 * kWord > file.size()) {
    return std::nullopt;
  }
  const std::size_t size = big_endian(file.substr(at));
  if (size > file.size() - at - 3 * kWord) {
    return std::nullopt;
  }
  const std::string_view typed = file.substr(at + kWord, kWord + size);
  at += kWord + typed.size();
  if (big_endian(file.substr(at)) != checksum(typed)) {
    return std::nullopt;
  }
  at += kWord;
  type = typed.substr(0, kWord);
  return typed.substr(kWord);
}

} // namespace

std::string encode_png(const Image& image) {
  png_image header{};
  header.version = PNG_IMAGE_VERSION;
  header.width = static_cast<png_uint_32>(image.width);
  header.height = static_cast<png_uint_32>(image.height);
  header.format = PNG_FORMAT_RGB;
  png_alloc_size_t size = PNG_IMAGE_PNG_SIZE_MAX(header);
  std::string file(size, '\0');
  const int written = png_image_write_to_memory(
      &header,
      file.data(),
      &size,
      /*convert_to_8_bit=*/0,
      image.pixels.data(),
      /*row_stride=*/0,
      /*colormap=*/nullptr);
  VITRAIN_CHECK(
      written != 0,
      ExitCode::kInternal,
      "cannot write a PNG of {} x {} pixels: {}",
      image.width,
      image.height,
      header.message);
  file.resize(size);
  file.insert(kPlace, kText);
  return file;
}

std::string encode_png(const Image& image, std::string_view description) {
  std::string file = encode_png(image);
  if (!description.empty()) {
    std::string typed(kDescribedType);
    typed += kDescribedHead;
    typed += description;
    file.insert(
        kPngStart,
        big_endian(static_cast<std::uint32_t>(typed.size() - kWord)) + typed +
            big_endian(checksum(typed)));
  }
  return file;
}

std::string png_description(std::string_view file) {
  std::size_t at = kSignature.size();
  std::string_view type;
  while (file.starts_with(kSignature)) {
    const auto content = next_chunk(file, at, type);
    if (!content || type == "IDAT") { // the description precedes the pixels
      break;
    }
    if (type == kDescribedType && content->starts_with(kDescribedHead)) {
      return std::string(content->substr(kDescribedHead.size()));
    }
  }
  return "";
}

bool is_drawn_png(std::string_view start) {
  return start.starts_with(kSignature) && start.size() >= kPngStart &&
      start.substr(kPlace, kText.size()) == kText;
}

} // namespace vitrain::image
