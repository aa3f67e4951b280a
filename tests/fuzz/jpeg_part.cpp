// The decoder that reads parts of JPEG files against libjpeg, which reads all.
#include <cstring>

#include "fuzz/fuzz.h"
#include "image/formats/decoder.h"

void vitrain::fuzz::fuzz(std::span<const std::uint8_t> input) {
  // Other formats have their own targets.
  if (input.size() < 3 || input[0] != 0xFF || input[1] != 0xD8) {
    return;
  }
  image::DecodeOptions options;
  options.max_pixels = 1 << 16;
  image::Image whole;
  const bool whole_is_good =
      accepts([&] { whole = image::decode(input, options); });
  image::Decoder decoder(options);
  if (!accepts([&] { decoder.open(input); })) {
    expect(!whole_is_good, "what libjpeg reads is opened");
    return;
  }
  const int width = decoder.width();
  const int height = decoder.height();
  // All of the image, then a part in its middle, which may be good where the
  // rest is not.
  const image::Rect rects[] = {
      {0, 0, width, height},
      {width / 3, height / 4, (width + 1) / 2, (height + 1) / 2}};
  for (const image::Rect& rect : rects) {
    image::Decoder::Part part;
    const bool good = accepts([&] { part = decoder.decode(rect); });
    if (!good || !whole_is_good) {
      expect(!whole_is_good || good, "a part of a good image is good");
      continue;
    }
    for (int y = rect.top; y < rect.top + rect.height; ++y) {
      const std::uint8_t* expected = image::View(whole).row(y) + 3 * rect.left;
      const std::uint8_t* pixels =
          part.view.row(y - part.top) + 3 * (rect.left - part.left);
      expect(
          whole.warnings > 0 ||
              std::memcmp(
                  expected, pixels, 3 * static_cast<std::size_t>(rect.width)) ==
                  0,
          "a part has the pixels of the whole");
    }
  }
}
