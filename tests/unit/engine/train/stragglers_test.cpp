#include "engine/train/stragglers.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace vitrain::engine {
namespace {

constexpr StepTimes kUsual{.step = 0.3, .data = 0.01, .exchange = 0.2};

TEST(Stragglers, AreNamedOnceWithTheirSection) {
  Stragglers stragglers;
  const std::vector<StepTimes> workers{
      kUsual,
      {.step = 0.3, .data = 0.01, .exchange = 0.05},
      kUsual,
      {.step = 0.3, .data = 0.12, .exchange = 0.05},
      {.step = 0.6, .data = 0.01, .exchange = 0.5}};
  EXPECT_TRUE(stragglers.take(workers, Stragglers::kSteps - 1).empty());
  const auto found = stragglers.take(workers, 1);
  ASSERT_EQ(found.size(), 3u);
  EXPECT_EQ(found[0].rank, 1u);
  EXPECT_EQ(found[0].section, "forward and backward");
  EXPECT_DOUBLE_EQ(found[0].factor, 0.25 / 0.1);
  EXPECT_EQ(found[1].rank, 3u);
  EXPECT_EQ(found[1].section, "data");
  EXPECT_EQ(found[2].rank, 4u);
  EXPECT_EQ(found[2].section, "exchange");
  EXPECT_TRUE(stragglers.take(workers, 1000).empty());
}

TEST(Stragglers, AreSlowInTheMeanOfManySteps) {
  Stragglers stragglers;
  const std::vector<StepTimes> slow{kUsual, {.step = 0.3}};
  const std::vector<StepTimes> equal{kUsual, kUsual};
  EXPECT_TRUE(stragglers.take(slow, 1).empty());
  EXPECT_TRUE(stragglers.take(equal, Stragglers::kSteps - 1).empty());
  EXPECT_EQ(stragglers.take(slow, Stragglers::kSteps).size(), 1u);
  EXPECT_TRUE(stragglers.take(slow, Stragglers::kSteps).empty());
  EXPECT_TRUE(stragglers.take(equal, Stragglers::kSteps).empty());
  EXPECT_EQ(stragglers.take(slow, Stragglers::kSteps).size(), 1u);
  // A few milliseconds do not count, and one worker has no other.
  EXPECT_TRUE(
      stragglers.take({{.step = 0.001}, {.step = 0.004}}, 1000).empty());
  EXPECT_TRUE(Stragglers().take({kUsual}, 1000).empty());
}

} // namespace
} // namespace vitrain::engine
