#include "checkpoint/retention.h"

#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace vitrain::checkpoint {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

const std::vector<Candidate> kFive =
    {{10, 0.5}, {20, 0.9}, {30, std::nullopt}, {40, 0.9}, {50, 0.7}};

TEST(Retention, KeepsTheNewest) {
  const auto removed = [](std::int64_t last) {
    return to_remove(kFive, {.keep_last = last, .keep_best = 0}, 50);
  };
  EXPECT_THAT(removed(1), ElementsAre(10, 20, 30, 40));
  EXPECT_THAT(removed(2), ElementsAre(10, 20, 30));
  EXPECT_THAT(removed(5), IsEmpty());
  EXPECT_THAT(removed(99), IsEmpty());
}

TEST(Retention, KeepsTheBestAsWell) {
  const auto removed = [](std::int64_t best, bool smaller) {
    return to_remove(
        kFive,
        {.keep_last = 1, .keep_best = best, .smaller_is_better = smaller},
        50);
  };
  EXPECT_THAT(removed(1, false), ElementsAre(10, 30, 40));
  EXPECT_THAT(removed(2, false), ElementsAre(10, 30));
  EXPECT_THAT(removed(1, true), ElementsAre(20, 30, 40));
  EXPECT_THAT(removed(9, false), ElementsAre(30));
}

TEST(Retention, KeepsTheFirstOfEachPeriod) {
  const auto removed = [](std::int64_t period, std::vector<Candidate> saved) {
    return to_remove(
        std::move(saved),
        {.keep_last = 1,
         .keep_best = 0,
         .periods = [=](std::int64_t step) { return step / period; }},
        0);
  };
  EXPECT_THAT(removed(20, kFive), ElementsAre(10, 30));
  EXPECT_THAT(removed(25, kFive), ElementsAre(10, 20, 40));
  // What is kept stays so when those before it are gone.
  EXPECT_THAT(removed(25, {{30}, {50}, {60}}), ElementsAre());
  EXPECT_THAT(removed(100, kFive), ElementsAre(10, 20, 30, 40));
}

TEST(Retention, KeepsTheOneJustSaved) {
  EXPECT_THAT(
      to_remove(kFive, {.keep_last = 1, .keep_best = 0}, 20),
      ElementsAre(10, 30, 40));
}

TEST(Retention, DoesNotDependOnTheOrder) {
  auto shuffled = kFive;
  std::swap(shuffled[0], shuffled[4]);
  std::swap(shuffled[1], shuffled[3]);
  EXPECT_THAT(
      to_remove(shuffled, {.keep_last = 2, .keep_best = 1}, 50),
      ElementsAre(10, 30));
}

TEST(Retention, TakesTheFirstOfEqualOnesAsBest) {
  EXPECT_EQ(best_step(kFive, {}), 20);
  EXPECT_EQ(best_step(kFive, {.smaller_is_better = true}), 10);
}

TEST(Retention, NeverTakesNanForBest) {
  EXPECT_EQ(best_step({{1, std::nan("")}, {2, 0.1}}, {}), 2);
  EXPECT_EQ(
      best_step({{1, std::nan("")}, {2, std::nullopt}}, {}), std::nullopt);
  EXPECT_EQ(best_step({}, {}), std::nullopt);
}

} // namespace
} // namespace vitrain::checkpoint
