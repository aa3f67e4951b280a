#include "image/formats/png_write.h"

#include <png.h>

#include "core/check.h"

namespace vitrain::image {

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
  return file;
}

} // namespace vitrain::image
