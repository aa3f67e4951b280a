#include "engine/inputs/drop_factors.h"

#include <gtest/gtest.h>

#include <cmath>

#include <ATen/ATen.h>

namespace vitrain::engine {
namespace {

TEST(DropPath, IsUndefinedWithoutLayers) {
  EXPECT_FALSE(drop_factors({}, 0, 0, 0, 8).defined());
}

TEST(DropPath, DependsOnThePlaceInTheGlobalBatchOnly) {
  const std::vector<double> rates{0.1, 0.5, 0.9};
  const at::Tensor whole = drop_factors(rates, 7, 12, 0, 12);
  // Twelve samples on three workers of four equal twelve samples on one.
  for (std::int64_t rank = 0; rank < 3; ++rank) {
    EXPECT_TRUE(at::equal(
        whole.narrow(1, rank * 4, 4), drop_factors(rates, 7, 12, rank * 4, 4)));
  }
  EXPECT_FALSE(at::equal(whole, drop_factors(rates, 8, 12, 0, 12)));
  EXPECT_FALSE(at::equal(whole, drop_factors(rates, 7, 13, 0, 12)));
}

TEST(DropPath, DropsAtItsRateAndKeepsTheMean) {
  constexpr std::int64_t kSamples = 20000;
  for (const double rate : {0.05, 0.3, 0.8}) {
    const at::Tensor factors = drop_factors({rate}, 3, 1, 0, kSamples);
    const double dropped = factors.eq(0).to(at::kDouble).mean().item<double>();
    // Five standard errors of a Bernoulli mean.
    const double error = 5 * std::sqrt(rate * (1 - rate) / kSamples);
    EXPECT_NEAR(dropped, rate, error);
    EXPECT_NEAR(factors.mean().item<double>(), 1.0, error / (1 - rate));
    EXPECT_FLOAT_EQ(
        factors.max().item<float>(), static_cast<float>(1 / (1 - rate)));
  }
}

TEST(DropPath, RateZeroKeepsEverything) {
  EXPECT_TRUE(at::equal(drop_factors({0.0}, 1, 2, 3, 100), at::ones({1, 100})));
}

} // namespace
} // namespace vitrain::engine
