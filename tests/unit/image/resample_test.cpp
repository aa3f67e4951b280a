#include "image/operations/resample.h"

#include <gtest/gtest.h>

#include <string>

#include "unit/image/fixtures.h"

namespace vitrain::image {
namespace {

void expect_equal(const std::string& file, Pillow pillow) {
  std::vector<Resampler> resamplers;
  for (int simd = 0; simd <= static_cast<int>(best_simd()); ++simd) {
    resamplers.emplace_back(static_cast<Simd>(simd));
  }
  Image from;
  std::string seed;
  for (const auto& row : fixtures::rows(file)) {
    const auto number = [&](int i) { return std::stoi(row[i]); };
    const auto edge = [&](int i) { return std::stof(row[i]); };
    if (seed != row[0]) {
      seed = row[0];
      from = fixtures::pattern(
          static_cast<std::uint32_t>(number(0)), number(1), number(2));
    }
    std::vector<std::uint8_t> to(
        static_cast<std::size_t>(number(3)) * number(4) * 3);
    for (std::size_t simd = 0; simd < resamplers.size(); ++simd) {
      resamplers[simd].resize(
          {.source_width = from.width,
           .source_height = from.height,
           .width = number(3),
           .height = number(4),
           .filter = fixtures::filter_of(row[5]),
           .box = Box{edge(6), edge(7), edge(8), edge(9)},
           .window = {0, 0, number(3), number(4)},
           .pillow = pillow},
          {View(from)},
          to.data(),
          static_cast<std::size_t>(number(3)) * 3);
      ASSERT_EQ(std::to_string(fixtures::crc(to)), row[10])
          << "seed " << seed << ", " << row[5] << ", kernels " << simd;
    }
  }
}

TEST(Resample, EqualsPillowForAnySizeBoxAndFilter) {
  ASSERT_GT(fixtures::rows("resample.csv").size(), 1200u);
  expect_equal("resample.csv", Pillow::k12);
}

TEST(Resample, EqualsPillow13ForAnySizeBoxAndFilter) {
  ASSERT_EQ(fixtures::rows("resample13.csv").size(), 420u);
  expect_equal("resample13.csv", Pillow::k13);
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
          {View(from)},
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
