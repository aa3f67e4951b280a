#include "data/augment/mix.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <set>

#include "core/json.h"

namespace vitrain::data {
namespace {

Json golden() {
  return Json::parse(
      std::ifstream(VITRAIN_SOURCE_DIR "/tests/golden/engine/mixup.json"));
}

bool is_mixed(const Mix& mix) {
  return mix != Mix{};
}

bool is_cut(const Mix& mix) {
  return mix.box.width * mix.box.height > 0;
}

constexpr int kRows = 20000;

// Every row drawn alone.
std::vector<Mix> many(MixOptions options, int height = 64, int width = 48) {
  options.mode = MixMode::kElem;
  return draw_mixes(options, 0, 0, kRows, height, width);
}

double share(const std::vector<Mix>& mixes, bool (*is)(const Mix&)) {
  return static_cast<double>(std::ranges::count_if(mixes, is)) / kRows;
}

// Four standard deviations of a share of kRows coin tosses.
const double kTolerance = 4 * 0.5 / std::sqrt(kRows);

TEST(CutMix, BoxesAreTimms) {
  const Json boxes = golden().at("boxes");
  for (const Json& row : boxes) {
    const int height = row[0];
    const int width = row[1];
    const image::Rect box =
        cutmix_box(height, width, row[2], /*centre_y=*/row[3], row[4]);
    const image::Rect expected{
        .left = row[7],
        .top = row[5],
        .width = row[8].get<int>() - row[7].get<int>(),
        .height = row[6].get<int>() - row[5].get<int>()};
    EXPECT_EQ(box, expected) << row;
    EXPECT_EQ(cut(box, height, width).label, row[9]) << row;
  }
}

TEST(Mix, SharesOfMixupFollowTheirLaw) {
  // Beta(1, 1) is uniform: the largest distance of the empirical distribution
  // function, as Kolmogorov's test allows 99.9 % of right ones.
  std::vector<double> shares;
  for (const Mix& mix : many({.mixup = 1.0})) {
    EXPECT_EQ(mix.pixels, mix.label);
    EXPECT_FALSE(is_cut(mix));
    shares.push_back(mix.pixels);
  }
  std::ranges::sort(shares);
  double distance = 0.0;
  for (std::size_t i = 0; i < shares.size(); ++i) {
    distance = std::max(
        distance, std::abs(shares[i] - (static_cast<double>(i) + 0.5) / kRows));
  }
  EXPECT_LT(distance, 1.95 / std::sqrt(kRows));
}

TEST(Mix, ProbabilitiesAreThoseAskedFor) {
  const auto mixes =
      many({.mixup = 1.0, .cutmix = 1.0, .prob = 0.7, .switch_prob = 0.25});
  EXPECT_NEAR(share(mixes, is_mixed), 0.7, kTolerance);
  // A box of Beta(1, 1) has no pixel where 1 - sqrt(1 - keep) x 48 is below 1:
  // one in 2,304.
  EXPECT_NEAR(share(mixes, is_cut), 0.7 * 0.25, kTolerance);
  EXPECT_EQ(share(many({.mixup = 1.0, .prob = 0.0}), is_mixed), 0.0);
}

TEST(CutMix, LabelsHaveTheShareOfTheArea) {
  double area = 0.0;
  for (const Mix& mix : many({.cutmix = 1.0})) {
    EXPECT_EQ(mix.pixels, 1.0);
    EXPECT_EQ(mix.label, cut(mix.box, 64, 48).label);
    area += 1 - mix.label;
  }
  // Before clipping the mean is a half. A side of share s whose centre is
  // uniform keeps s - s^2 / 4 of its length; s^2 is uniform, so the mean is the
  // mean of (s - s^2 / 4)^2 = s^2 - s^3 / 2 + s^4 / 16 with moments 1/2, 2/5,
  // 1/3. Sides lose half a pixel of 48 and 64 to truncation: up to 4 % less.
  EXPECT_NEAR(area / kRows, 0.5 - 0.2 + 1.0 / 48, 0.02);
}

TEST(CutMix, MinmaxSidesAreUniformWithoutTheLastOne) {
  std::set<int> heights;
  std::set<int> widths;
  for (const Mix& mix : many({.cutmix_minmax = {{0.25, 0.75}}})) {
    heights.insert(mix.box.height);
    widths.insert(mix.box.width);
    ASSERT_GE(mix.box.top, 0);
    ASSERT_LE(mix.box.top + mix.box.height, 64);
    ASSERT_GE(mix.box.left, 0);
    ASSERT_LE(mix.box.left + mix.box.width, 48);
  }
  EXPECT_EQ(*heights.begin(), 16);
  EXPECT_EQ(*heights.rbegin(), 47);
  EXPECT_EQ(heights.size(), 32u);
  EXPECT_EQ(*widths.begin(), 12);
  EXPECT_EQ(*widths.rbegin(), 35);
  // Equal bounds are the side (numpy would refuse them).
  for (const Mix& mix : many({.cutmix_minmax = {{0.5, 0.5}}}, 8, 8)) {
    ASSERT_EQ(mix.box.height, 4);
  }
}

TEST(Mix, ModesShareWhatIsDrawn) {
  const MixOptions options{.mixup = 1.0, .cutmix = 1.0};
  for (const MixMode mode : {MixMode::kBatch, MixMode::kPair, MixMode::kElem}) {
    MixOptions own = options;
    own.mode = mode;
    const auto mixes = draw_mixes(own, 3, 1, 8, 32, 32);
    ASSERT_EQ(mixes.size(), 8u);
    for (std::size_t i = 0; i < 8; ++i) {
      EXPECT_EQ(
          mixes[i] == mixes[0],
          mode == MixMode::kBatch || i == 0 ||
              (mode == MixMode::kPair && i == 7));
      EXPECT_EQ(mixes[i] == mixes[7 - i], mode != MixMode::kElem);
    }
  }
}

TEST(Mix, AnOddRowInTheMiddleStaysAsItIs) {
  for (const MixMode mode : {MixMode::kBatch, MixMode::kPair, MixMode::kElem}) {
    const auto mixes = draw_mixes({.mixup = 1.0, .mode = mode}, 0, 0, 5, 8, 8);
    for (std::size_t i = 0; i < 5; ++i) {
      EXPECT_EQ(is_mixed(mixes[i]), i != 2);
    }
    EXPECT_TRUE(
        draw_mixes({.mixup = 1.0, .mode = mode}, 0, 0, 0, 8, 8).empty());
  }
}

TEST(Mix, IsAFunctionOfSeedStepAndMicroBatch) {
  const auto draw = [](std::uint64_t seed, std::int64_t step, std::int64_t k) {
    return draw_mixes({.mixup = 0.8, .seed = seed}, step, k, 4, 8, 8);
  };
  EXPECT_EQ(draw(1, 2, 3), draw(1, 2, 3));
  EXPECT_NE(draw(1, 2, 3), draw(2, 2, 3));
  EXPECT_NE(draw(1, 2, 3), draw(1, 3, 3));
  EXPECT_NE(draw(1, 2, 3), draw(1, 2, 4));
}

} // namespace
} // namespace vitrain::data
