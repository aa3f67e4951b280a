#pragma once

#include "fuzz/fuzz.h"
#include "image/formats/formats.h"

namespace vitrain::fuzz {

// One format's decoder, without the look at the first bytes that comes before
// it: the size of the image is the header's, within the limit, and every pixel
// is there. Inputs are small, and so are the images that they may ask for.
inline void fuzz_format(
    std::span<const std::uint8_t> input,
    image::detail::Size (*size_of)(image::detail::Bytes),
    image::Image (*decode)(image::detail::Bytes, const image::DecodeOptions&)) {
  image::DecodeOptions options;
  options.max_pixels = 1 << 16;
  image::Image image;
  if (!accepts([&] { image = decode(input, options); })) {
    accepts([&] { size_of(input); });
    return;
  }
  const image::detail::Size size = size_of(input);
  expect(
      size.width == image.width && size.height == image.height,
      "the header has the image's size");
  const auto pixels = static_cast<std::int64_t>(image.width) * image.height;
  expect(pixels > 0 && pixels <= options.max_pixels, "the limit holds");
  expect(
      image.pixels.size() == static_cast<std::size_t>(pixels) * 3,
      "every pixel is there");
}

} // namespace vitrain::fuzz
