#include "image/formats/png_write.h"

#include <png.h>

#include "core/check.h"

namespace vitrain::image {
namespace {

constexpr std::string_view kSignature = "\x89PNG\r\n\x1a\n";
// Behind the signature and the first chunk, IHDR.
constexpr std::size_t kPlace = kSignature.size() + 25;
// A chunk: length, type, keyword and text, CRC.
constexpr std::string_view kText(
    "\0\0\0\x10"
    "tEXtSoftware\0vitrain"
    "\x8f\x09\x11\x23",
    28);
static_assert(kPlace + kText.size() == kPngStart);

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

bool is_drawn_png(std::string_view start) {
  return start.starts_with(kSignature) && start.size() >= kPngStart &&
      start.substr(kPlace, kText.size()) == kText;
}

} // namespace vitrain::image
