#include "image/operations/channels.h"

#include <cstddef>

namespace vitrain::image {

void split_channels(
    std::span<const std::uint8_t> pixels,
    int channels,
    std::span<Image> pictures,
    std::size_t first) {
  const auto all = static_cast<std::size_t>(channels);
  const std::size_t count = pixels.size() / all;
  for (std::size_t c = 0; c < all; ++c) {
    std::uint8_t* to = pictures[c / 3].pixels.data() + 3 * first + c % 3;
    for (std::size_t i = 0; i < count; ++i) {
      to[3 * i] = pixels[i * all + c];
    }
  }
}

void join_channels(
    std::span<const std::uint8_t> pictures,
    int channels,
    std::span<std::uint8_t> out) {
  const auto all = static_cast<std::size_t>(channels);
  const std::size_t count = out.size() / all;
  for (std::size_t c = 0; c < all; ++c) {
    const std::uint8_t* from = pictures.data() + 3 * count * (c / 3) + c % 3;
    for (std::size_t i = 0; i < count; ++i) {
      out[i * all + c] = from[3 * i];
    }
  }
}

Image in_colours(
    std::span<const std::uint8_t> pixels,
    int width,
    int height,
    int channels) {
  Image picture(width, height);
  const auto all = static_cast<std::size_t>(channels);
  for (std::size_t i = 0; i < picture.pixels.size(); ++i) {
    picture.pixels[i] = pixels[i / 3 * all + (all < 3 ? 0 : i % 3)];
  }
  return picture;
}

} // namespace vitrain::image
