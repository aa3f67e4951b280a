#include "core/largest.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <random>

#include <gmock/gmock.h>

namespace vitrain {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::UnorderedElementsAre;

// By sorting all of them.
std::vector<std::int32_t> sorted_out(
    const std::vector<float>& values,
    std::size_t count) {
  std::vector<std::int32_t> order(values.size());
  std::iota(order.begin(), order.end(), 0);
  std::ranges::stable_sort(order, [&](std::int32_t a, std::int32_t b) {
    return std::abs(values[static_cast<std::size_t>(a)]) >
        std::abs(values[static_cast<std::size_t>(b)]);
  });
  order.resize(count);
  std::ranges::sort(order);
  return order;
}

std::vector<std::int32_t> in_order(std::vector<std::int32_t> indices) {
  std::ranges::sort(indices);
  return indices;
}

TEST(LargestMagnitudes, AreThoseOfASort) {
  std::mt19937 engine(7);
  std::normal_distribution<float> normal;
  for (const std::size_t size : {1U, 2U, 5U, 64U, 1001U, 70'003U}) {
    std::vector<float> values(size);
    std::ranges::generate(values, [&] { return normal(engine); });
    // Two that are equal, of both signs.
    values.back() = -values.front();
    for (const std::size_t count :
         {std::size_t{1}, size / 100, size / 3, size - 1, size}) {
      EXPECT_EQ(
          in_order(largest_magnitudes(values, count)),
          sorted_out(values, count))
          << count << " of " << size;
    }
  }
}

TEST(LargestMagnitudes, TakeTheFirstOfEqualOnes) {
  EXPECT_THAT(
      largest_magnitudes(std::vector<float>(10, -0.5F), 3),
      UnorderedElementsAre(0, 1, 2));
  EXPECT_THAT(
      largest_magnitudes(std::vector<float>{0, -0.0F, 1, 0, -1, 1}, 4),
      UnorderedElementsAre(0, 2, 4, 5));
}

TEST(LargestMagnitudes, KnowDenormalsInfinitiesAndNaN) {
  constexpr float kLeast = std::numeric_limits<float>::denorm_min();
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  const std::vector<float> values{
      0, kLeast, 2 * kLeast, -kInfinity, std::nanf(""), 3e38F};
  EXPECT_THAT(largest_magnitudes(values, 1), ElementsAre(4));
  EXPECT_THAT(largest_magnitudes(values, 2), UnorderedElementsAre(3, 4));
  EXPECT_THAT(largest_magnitudes(values, 4), UnorderedElementsAre(2, 3, 4, 5));
}

TEST(LargestMagnitudes, AreNoMoreThanThereAre) {
  EXPECT_THAT(largest_magnitudes({}, 3), IsEmpty());
  EXPECT_THAT(largest_magnitudes(std::vector{1.0F}, 0), IsEmpty());
  EXPECT_THAT(largest_magnitudes(std::vector{1.0F}, 3), ElementsAre(0));
}

} // namespace
} // namespace vitrain
