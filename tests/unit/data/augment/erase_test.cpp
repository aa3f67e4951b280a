#include "data/augment/erase.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <fstream>
#include <string>
#include <vector>

#include "core/json.h"
#include "core/text.h"

namespace vitrain::data {
namespace {

TEST(RandomErasing, BoxesAreTimms) {
  const Json golden = Json::parse(
      std::ifstream(VITRAIN_SOURCE_DIR "/tests/golden/engine/mixup.json"));
  int none = 0;
  for (const Json& row : golden.at("erasings")) {
    const auto box = erased_box(row[0], row[1], row[2], row[3], row[4]);
    if (row[5] == 0) {
      ++none;
      EXPECT_FALSE(box.has_value()) << row;
      continue;
    }
    ASSERT_TRUE(box.has_value()) << row;
    EXPECT_EQ(box->height, row[5]) << row;
    EXPECT_EQ(box->width, row[6]) << row;
  }
  EXPECT_GT(none, 0);
}

TEST(RandomErasing, ErasesAsOftenAndAsMuchAsAskedFor) {
  constexpr int kSamples = 20000;
  const EraseOptions options{.probability = 0.25};
  int erased = 0;
  double area = 0.0;
  double top = 0.0;
  for (int sample = 0; sample < kSamples; ++sample) {
    const Erasing erasing = draw_erasing(options, {0, sample}, 224, 224);
    if (erasing.boxes.empty()) {
      continue;
    }
    ++erased;
    ASSERT_EQ(erasing.boxes.size(), 1u);
    const image::Rect& box = erasing.boxes[0];
    ASSERT_GE(box.top, 0);
    ASSERT_GE(box.left, 0);
    ASSERT_LE(box.top + box.height, 224);
    ASSERT_LE(box.left + box.width, 224);
    area += box.width * box.height / (224.0 * 224.0);
    top += static_cast<double>(box.top) / (224 - box.height);
  }
  // Four standard deviations of the share, of a uniform area, of a uniform
  // place.
  EXPECT_NEAR(erased, 0.25 * kSamples, 4 * std::sqrt(kSamples * 0.25 * 0.75));
  const double root = std::sqrt(erased);
  const double range = 1.0 / 3.0 - 0.02;
  // Long boxes of large areas do not fit and are drawn again: less area.
  EXPECT_NEAR(area / erased, 0.02 + range / 2, 0.01);
  EXPECT_NEAR(top / erased, 0.5, 4 * std::sqrt(1.0 / 12) / root);
}

// The largest distance of two empirical distribution functions.
double distance(const std::vector<int>& a, const std::vector<int>& b) {
  double largest = 0.0;
  std::size_t i = 0;
  std::size_t j = 0;
  while (i < a.size() && j < b.size()) {
    const int value = std::min(a[i], b[j]);
    while (i < a.size() && a[i] == value) {
      ++i;
    }
    while (j < b.size() && b[j] == value) {
      ++j;
    }
    largest = std::max(
        largest,
        std::abs(
            static_cast<double>(i) / static_cast<double>(a.size()) -
            static_cast<double>(j) / static_cast<double>(b.size())));
  }
  return largest;
}

TEST(RandomErasing, AreasFollowTimms) {
  std::ifstream csv(VITRAIN_SOURCE_DIR "/tests/golden/data/erase_areas.csv");
  std::string line;
  std::getline(csv, line);
  int cases = 0;
  for (; std::getline(csv, line); ++cases) {
    SCOPED_TRACE(line.substr(0, 9));
    const std::vector<std::string> row = split(line, ',');
    const int height = std::stoi(row.at(0));
    const int width = std::stoi(row.at(1));
    std::vector<int> theirs;
    for (const std::string& area : split(row.at(2), ' ')) {
      theirs.push_back(std::stoi(area));
    }
    ASSERT_EQ(theirs.size(), 1500u);
    const auto drawn = [&](const std::array<double, 2>& area) {
      std::vector<int> ours;
      for (int sample = 0; sample < 6000; ++sample) {
        const Erasing erasing = draw_erasing(
            {.probability = 1.0, .area = area, .seed = 3},
            {0, sample},
            height,
            width);
        ours.push_back(
            erasing.boxes.empty()
                ? 0
                : erasing.boxes[0].width * erasing.boxes[0].height);
      }
      std::ranges::sort(ours);
      return ours;
    };
    // Kolmogorov's and Smirnov's test, which lets 99.9 % of right ones pass.
    const double allowed = 1.95 * std::sqrt(1.0 / 1500 + 1.0 / 6000);
    EXPECT_LT(distance(drawn(EraseOptions{}.area), theirs), allowed);
    // The test detects areas that are a tenth larger.
    EXPECT_GT(distance(drawn({0.022, 1.1 / 3}), theirs), allowed);
  }
  EXPECT_EQ(cases, 3);
}

TEST(RandomErasing, DrawsTheNumberOfBoxesUniformly) {
  std::array<int, 4> of{};
  for (int sample = 0; sample < 6000; ++sample) {
    const Erasing erasing =
        draw_erasing({.probability = 1.0, .count = 3}, {0, sample}, 64, 64);
    ++of.at(erasing.boxes.size());
  }
  EXPECT_EQ(of[0], 0);
  for (const int count : {of[1], of[2], of[3]}) {
    EXPECT_NEAR(count, 2000, 4 * std::sqrt(6000 * 2.0 / 9)); // four deviations
  }
}

TEST(RandomErasing, IsAFunctionOfSeedAndDraw) {
  const auto erase = [](std::uint64_t seed, const Draw& draw) {
    const Erasing erasing =
        draw_erasing({.probability = 1.0, .seed = seed}, draw, 96, 96);
    return std::pair(erasing.boxes.at(0), erasing.noise);
  };
  EXPECT_EQ(erase(1, {2, 3}), erase(1, {2, 3}));
  EXPECT_NE(erase(1, {2, 3}), erase(2, {2, 3}));
  EXPECT_NE(erase(1, {2, 3}), erase(1, {3, 3}));
  EXPECT_NE(erase(1, {2, 3}), erase(1, {2, 4}));
  EXPECT_NE(erase(1, {2, 3}), erase(1, {2, 3, 1}));
}

TEST(RandomErasing, AnImageTooSmallForAnyBoxStaysWhole) {
  EXPECT_TRUE(draw_erasing({.probability = 1.0}, {}, 1, 1).boxes.empty());
}

} // namespace
} // namespace vitrain::data
