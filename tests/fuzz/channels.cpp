#include "image/operations/channels.h"

#include <iterator>
#include <vector>

#include "fuzz/fuzz.h"
#include "image/formats/decode.h"

// The pictures of images with any number of channels: all of one size, within
// the limit, with every pixel.
void vitrain::fuzz::fuzz(std::span<const std::uint8_t> input) {
  image::DecodeOptions options;
  options.max_pixels = 1 << 16;
  for (const int channels : {2, 4, 5, 6, 7, 13}) {
    std::vector<image::Image> pictures;
    if (!accepts([&] {
          pictures = image::decode_channels(input, channels, options);
        })) {
      continue;
    }
    expect(
        std::ssize(pictures) == image::pictures_of(channels),
        "a picture for three channels");
    const image::Image& first = pictures.front();
    const auto pixels = static_cast<std::int64_t>(first.width) * first.height;
    expect(pixels > 0 && pixels <= options.max_pixels, "the limit holds");
    for (const image::Image& picture : pictures) {
      expect(
          picture.width == first.width && picture.height == first.height &&
              picture.pixels.size() == static_cast<std::size_t>(pixels) * 3,
          "every pixel is there");
    }
  }
}
