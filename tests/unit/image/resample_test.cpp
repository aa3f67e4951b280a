#include "image/resample.h"

#include <gtest/gtest.h>

#include <string>

#include "unit/image/fixtures.h"

namespace vitrain::image {
namespace {

Filter filter_of(const std::string& name) {
  return name == "bilinear" ? Filter::kBilinear : Filter::kBicubic;
}

TEST(Resample, EqualsPillowForAnySizeAndBox) {
  const auto rows = fixtures::rows("resize.csv");
  ASSERT_EQ(rows.size(), 400u);
  for (const auto& row : rows) {
    SCOPED_TRACE("seed " + row[0]);
    const auto number = [&](int i) { return std::stoi(row[i]); };
    const auto edge = [&](int i) { return std::stof(row[i]); };
    const Image from = fixtures::pattern(
        static_cast<std::uint32_t>(number(0)), number(1), number(2));
    const Box box{edge(6), edge(7), edge(8), edge(9)};
    const Image to = resize(from, number(3), number(4), filter_of(row[5]), box);
    EXPECT_EQ(std::to_string(fixtures::crc(to.pixels)), row[10]);
  }
}

TEST(Resample, WindowEqualsThatPartOfTheWhole) {
  const Image from = fixtures::pattern(5, 37, 23);
  for (const Filter filter : {Filter::kBilinear, Filter::kBicubic}) {
    for (const auto& [width, height] :
         {std::pair{19, 50}, {37, 11}, {80, 23}, {37, 23}}) {
      const Image whole = resize(from, width, height, filter);
      const Rect window{3, 2, 9, 7};
      std::vector<std::uint8_t> part(9 * 7 * 3);
      Resampler().resize(
          {.source_width = from.width,
           .source_height = from.height,
           .width = width,
           .height = height,
           .filter = filter,
           .window = window},
          View(from),
          0,
          0,
          part.data(),
          9 * 3);
      const View expected = View(whole).crop(window);
      for (int y = 0; y < window.height; ++y) {
        const std::vector<std::uint8_t> row(
            expected.row(y), expected.row(y) + 9 * 3);
        const std::vector<std::uint8_t> got(
            part.begin() + y * 27, part.begin() + (y + 1) * 27);
        ASSERT_EQ(got, row) << width << " x " << height << ", row " << y;
      }
    }
  }
}

TEST(Resample, KeepsAConstantImageConstant) {
  Image flat;
  flat.width = 31;
  flat.height = 17;
  flat.pixels.assign(31 * 17 * 3, 203);
  for (const Filter filter : {Filter::kBilinear, Filter::kBicubic}) {
    const Image to = resize(flat, 12, 40, filter);
    EXPECT_EQ(to.pixels, std::vector<std::uint8_t>(12 * 40 * 3, 203));
  }
}

} // namespace
} // namespace vitrain::image
