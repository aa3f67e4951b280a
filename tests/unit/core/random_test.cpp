#include "core/random.h"

#include <gtest/gtest.h>

#include <cmath>
#include <set>
#include <vector>

namespace vitrain {
namespace {

// Known answers of the Random123 distribution (kat_vectors, philox4x32 10).
TEST(Philox, KnownAnswers) {
  using Words = std::array<std::uint32_t, 4>;
  EXPECT_EQ(
      philox4x32({0, 0, 0, 0}, {0, 0}),
      (Words{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
  EXPECT_EQ(
      philox4x32(
          {0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff},
          {0xffffffff, 0xffffffff}),
      (Words{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}));
  EXPECT_EQ(
      philox4x32(
          {0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344},
          {0xa4093822, 0x299f31d0}),
      (Words{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}));
}

TEST(Random, IsAFunctionOfItsKey) {
  Random a(1, Purpose::kCrop, 2, 3);
  Random b(1, Purpose::kCrop, 2, 3);
  std::set<std::uint64_t> firsts;
  for (int i = 0; i < 10; ++i) {
    EXPECT_EQ(a.next_u64(), b.next_u64());
  }
  firsts.insert(Random(1, Purpose::kCrop, 2, 3).next_u64());
  firsts.insert(Random(2, Purpose::kCrop, 2, 3).next_u64());
  firsts.insert(Random(1, Purpose::kFlip, 2, 3).next_u64());
  firsts.insert(Random(1, Purpose::kCrop, 3, 3).next_u64());
  firsts.insert(Random(1, Purpose::kCrop, 2, 4).next_u64());
  firsts.insert(Random(1, Purpose::kCrop, 3, 2).next_u64());
  EXPECT_EQ(firsts.size(), 6u);
}

TEST(Random, UniformHasTheRightMoments) {
  Random random(7, Purpose::kAugment, 0, 0);
  constexpr int kCount = 200000;
  double sum = 0;
  double squares = 0;
  for (int i = 0; i < kCount; ++i) {
    const double x = random.uniform();
    ASSERT_GE(x, 0.0);
    ASSERT_LT(x, 1.0);
    sum += x;
    squares += x * x;
  }
  // Five standard errors of the mean of U(0, 1) and of its square.
  EXPECT_NEAR(sum / kCount, 0.5, 5 * std::sqrt(1.0 / 12 / kCount));
  EXPECT_NEAR(squares / kCount, 1.0 / 3, 5 * std::sqrt(4.0 / 45 / kCount));
}

TEST(Random, BelowCoversTheRange) {
  Random random(7, Purpose::kAugment, 0, 1);
  std::vector<int> counts(7);
  for (int i = 0; i < 70000; ++i) {
    ++counts.at(random.below(7));
  }
  for (const int count : counts) {
    EXPECT_NEAR(count, 10000, 5 * 93); // 93: standard deviation
  }
}

TEST(KeyedPermutation, IsABijectionAtAwkwardSizes) {
  for (const std::uint64_t n : {1, 2, 3, 5, 16, 17, 255, 257, 1000, 4099}) {
    for (std::uint64_t epoch = 0; epoch < 3; ++epoch) {
      const KeyedPermutation permutation(n, /*seed=*/9, epoch);
      std::vector<bool> seen(n);
      for (std::uint64_t i = 0; i < n; ++i) {
        const std::uint64_t x = permutation(i);
        ASSERT_LT(x, n);
        ASSERT_FALSE(seen[x]) << "n " << n << " epoch " << epoch;
        seen[x] = true;
      }
    }
  }
}

TEST(KeyedPermutation, EveryElementReachesEveryPosition) {
  constexpr std::uint64_t kSize = 6;
  constexpr int kEpochs = 12000;
  int counts[kSize][kSize] = {};
  for (int epoch = 0; epoch < kEpochs; ++epoch) {
    const KeyedPermutation permutation(kSize, 3, epoch);
    for (std::uint64_t i = 0; i < kSize; ++i) {
      ++counts[i][permutation(i)];
    }
  }
  for (const auto& row : counts) {
    for (const int count : row) {
      EXPECT_NEAR(count, 2000, 5 * 41); // 41: standard deviation
    }
  }
}

} // namespace
} // namespace vitrain
