#include "verbs/find_lr.h"

#include <cmath>

#include <gtest/gtest.h>

namespace vitrain::verbs {
namespace {

// Losses that fall from 2 by `depth` around lr = 1e-3 and explode at 1.
std::vector<LossAt> losses(double depth, int steps = 400) {
  std::vector<LossAt> made;
  for (int i = 0; i < steps; ++i) {
    const double decade = -7.0 + 8.0 * i / (steps - 1);
    const double fall = depth / (1.0 + std::exp(-4.0 * (decade + 3.0)));
    const double rise = std::exp(8.0 * (decade - 0.2));
    made.push_back({std::pow(10.0, decade), 2.0 - fall + rise});
  }
  return made;
}

// Smoothed values lag by about 1 / (1 - 0.9) steps, here 0.2 decades.
TEST(RangeTest, SuggestsWhereTheLossFallsFastest) {
  const RangeTest test = read_range_test(losses(1.5));
  ASSERT_TRUE(test.steepest.has_value());
  EXPECT_NEAR(std::log10(*test.steepest), -3.0 + 0.2, 0.3);
  EXPECT_GT(std::log10(*test.before_lowest), -3.0);
  EXPECT_LT(std::log10(*test.before_lowest), -0.5);
  EXPECT_LT(test.smooth.size(), 400u); // it ends at the divergence
}

TEST(RangeTest, SuggestsNothingWhereNothingFalls) {
  EXPECT_FALSE(read_range_test(losses(0.0)).steepest.has_value());
  EXPECT_FALSE(read_range_test({}).steepest.has_value());
  EXPECT_FALSE(read_range_test(losses(1.5, 8)).steepest.has_value());
  std::vector<LossAt> broken = losses(1.5);
  broken[0].loss = std::nan("");
  EXPECT_TRUE(read_range_test(broken).smooth.empty());
}

} // namespace
} // namespace vitrain::verbs
