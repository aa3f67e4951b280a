#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <set>
#include <vector>

#include "core/hash.h"
#include "data/kinds/datasets.h"
#include "support/messages.h"
#include "unit/data/support.h"

namespace vitrain::data {
namespace {

std::unique_ptr<Source>
shapes(std::int64_t count, std::int64_t size, std::int64_t seed) {
  SourceOptions options;
  options.kind = SourceKind::kShapes;
  options.count = count;
  options.size = size;
  options.seed = seed;
  return open(std::make_shared<Index>(list(options)));
}

TEST(Shapes, AreAFunctionOfSeedSizeAndIndex) {
  const auto a = shapes(100, 32, 5);
  const auto b = shapes(1000, 32, 5);
  const auto other = shapes(100, 32, 6);
  std::set<std::uint64_t> seen;
  for (const std::int64_t i : {0, 1, 10, 99}) {
    EXPECT_EQ(a->load(i).pixels, b->load(i).pixels);
    EXPECT_NE(a->load(i).pixels, other->load(i).pixels);
    const auto pixels = a->load(i).pixels;
    seen.insert(
        hash64({reinterpret_cast<const char*>(pixels.data()), pixels.size()}));
  }
  EXPECT_EQ(seen.size(), 4u);
}

TEST(Shapes, ComeInAnySize) {
  for (const int size : {8, 17, 64, 224}) {
    const image::Image image = shapes(10, size, 0)->load(3);
    EXPECT_EQ(image.width, size);
    EXPECT_EQ(image.height, size);
    EXPECT_EQ(image.pixels.size(), static_cast<std::size_t>(size) * size * 3);
  }
}

TEST(Shapes, AreBalancedExactly) {
  const auto source = shapes(1000, 8, 0);
  ASSERT_EQ(source->classes().size(), 10u);
  std::array<int, 10> counts{};
  for (std::int64_t i = 0; i < source->size(); ++i) {
    ++counts.at(static_cast<std::size_t>(source->label(i)));
  }
  EXPECT_THAT(counts, testing::Each(100));
}

// Light on dark is as frequent as dark on light, so the mean image is the same
// for every class: nothing for a linear model to hold on to.
TEST(Shapes, ClassesHaveTheSameMeanImage) {
  constexpr int kCount = 10000;
  const auto source = shapes(kCount, 16, 1);
  constexpr std::size_t kPixels = 16 * 16 * 3;
  std::vector<std::array<double, kPixels>> sums(10);
  std::array<double, kPixels> squares{};
  for (std::int64_t i = 0; i < kCount; ++i) {
    const image::Image image = source->load(i);
    for (std::size_t p = 0; p < kPixels; ++p) {
      const double value = image.pixels[p];
      sums[static_cast<std::size_t>(source->label(i))][p] += value;
      squares[p] += value * value;
    }
  }
  // z scores of the class means; over 7680 of them a normal law reaches 4.
  double chi_squared = 0;
  for (std::size_t p = 0; p < kPixels; ++p) {
    double mean = 0;
    for (const auto& sum : sums) {
      mean += sum[p] / kCount;
    }
    const double deviation =
        std::sqrt((squares[p] / kCount - mean * mean) / (kCount / 10));
    for (const auto& sum : sums) {
      const double z = (sum[p] / (kCount / 10) - mean) / deviation;
      EXPECT_LT(std::abs(z), 6.0);
      chi_squared += z * z;
    }
  }
  // Nine degrees of freedom per pixel and channel. Pixels of an image are
  // correlated, so the sum spreads more than chi-squared does.
  EXPECT_NEAR(chi_squared / (kPixels * 9), 1.0, 0.35);
}

TEST(Shapes, RefuseImpossibleSizes) {
  expect_message(data_error([] { shapes(0, 32, 0); }), {"1"});
  expect_message(data_error([] { shapes(10, 4, 0); }), {"10", "4"});
}

} // namespace
} // namespace vitrain::data
