// Files that this program writes.

#include <cstdint>
#include <cstdlib>
#include <span>

#include <gtest/gtest.h>

#include "image/formats/decode.h"
#include "image/formats/png_write.h"
#include "image/jpeg/jpeg_write.h"

namespace vitrain::image {
namespace {

Image gradient(int width, int height) {
  Image image(width, height);
  for (int y = 0; y < height; ++y) {
    for (int x = 0; x < width; ++x) {
      std::uint8_t* pixel = image.pixels.data() + (y * width + x) * 3;
      pixel[0] = static_cast<std::uint8_t>(255 * x / width);
      pixel[1] = static_cast<std::uint8_t>(255 * y / height);
      pixel[2] = 90;
    }
  }
  return image;
}

Image read(const std::string& file) {
  return decode(std::span(
      reinterpret_cast<const std::uint8_t*>(file.data()), file.size()));
}

TEST(WritePng, ADescriptionComesBack) {
  const Image image = gradient(7, 5);
  const std::string file = encode_png(image, "{\"cat\": \"\u732b\"}");
  EXPECT_EQ(png_description(file), "{\"cat\": \"\u732b\"}");
  EXPECT_EQ(read(file).pixels, image.pixels);
  EXPECT_TRUE(is_drawn_png(file));
  EXPECT_EQ(png_description(encode_png(image)), "");
  EXPECT_EQ(encode_png(image, ""), encode_png(image));
}

TEST(WritePng, ADamagedDescriptionIsNone) {
  const std::string text = "a description";
  const std::string whole = encode_png(gradient(7, 5), text);
  const std::size_t end = whole.find(text) + text.size() + 4; // its checksum
  for (std::size_t size = 0; size < end; ++size) {
    EXPECT_EQ(png_description(whole.substr(0, size)), "") << size;
  }
  EXPECT_EQ(png_description(whole.substr(0, end)), text);
  for (std::size_t at = 0; at < end; ++at) {
    std::string changed = whole;
    changed[at] = static_cast<char>(changed[at] ^ 0x5A);
    EXPECT_EQ(png_description(changed), "") << at;
  }
}

TEST(WriteJpeg, LooksTheSame) {
  const Image image = gradient(67, 45);
  const Image got = read(encode_jpeg(image, 90));
  ASSERT_EQ(got.width, 67);
  ASSERT_EQ(got.height, 45);
  double sum = 0.0;
  for (std::size_t i = 0; i < image.pixels.size(); ++i) {
    sum += std::abs(int{image.pixels[i]} - int{got.pixels[i]});
  }
  // A smooth picture: a few levels, of rounding and of halved colours.
  EXPECT_LT(sum / static_cast<double>(image.pixels.size()), 4.0);
  EXPECT_LT(encode_jpeg(image, 40).size(), encode_jpeg(image, 95).size());
}

} // namespace
} // namespace vitrain::image
