#include "core/system/cpu.h"
#include "image/formats/formats.h"
#include "image/jpeg/jpeg_region.h"
#include "image/jpeg/packed_jpeg.h"

namespace vitrain::image::detail {

Size packed_jpeg_size(std::span<const std::uint8_t> bytes) {
  const PackedJpeg packed(bytes);
  return {packed.file().width, packed.file().height};
}

Image decode_packed_jpeg(
    std::span<const std::uint8_t> bytes,
    const DecodeOptions& options) {
  const PackedJpeg packed(bytes);
  Image image;
  image.width = packed.file().width;
  image.height = packed.file().height;
  check_size({image.width, image.height}, options);
  JpegRegion region(jpeg_kernels(best_simd()));
  region.decode(packed, {0, 0, image.width, image.height}, image.pixels);
  image.pixels.resize(static_cast<std::size_t>(image.width) * image.height * 3);
  return image;
}

} // namespace vitrain::image::detail
