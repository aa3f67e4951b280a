#include "core/random.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <numbers>
#include <vector>

namespace vitrain {
namespace {

constexpr int kDraws = 20000;
// Largest distance between the empirical and the true distribution function
// (Kolmogorov): passes 99.9 % of right samplers, and the draws are fixed.
const double kLimit = 1.95 / std::sqrt(kDraws);

double distance(
    const std::function<double(Random&)>& draw,
    const std::function<double(double)>& distribution) {
  Random random(1, Purpose::kAugment, 2, 3);
  std::vector<double> values(kDraws);
  std::ranges::generate(values, [&] { return draw(random); });
  std::ranges::sort(values);
  double largest = 0.0;
  for (int i = 0; i < kDraws; ++i) {
    const double p = distribution(values[static_cast<std::size_t>(i)]);
    largest = std::max(
        {largest,
         std::abs(p - static_cast<double>(i) / kDraws),
         std::abs(p - static_cast<double>(i + 1) / kDraws)});
  }
  return largest;
}

auto beta(double a, double b) {
  return [=](Random& random) { return beta_draw(random, a, b); };
}

// Laws of Beta(a, b) whose distribution functions are elementary.
TEST(Beta, OfOneAndOneIsUniform) {
  EXPECT_LT(distance(beta(1, 1), [](double x) { return x; }), kLimit);
}

TEST(Beta, OfAHalfIsTheArcsineLaw) {
  EXPECT_LT(
      distance(
          beta(0.5, 0.5),
          [](double x) {
            return 2.0 / std::numbers::pi * std::asin(std::sqrt(x));
          }),
      kLimit);
}

TEST(Beta, WithAOneIsAPower) {
  EXPECT_LT(
      distance(beta(0.2, 1), [](double x) { return std::pow(x, 0.2); }),
      kLimit);
  EXPECT_LT(
      distance(beta(1, 3), [](double x) { return 1 - std::pow(1 - x, 3); }),
      kLimit);
}

TEST(Beta, OfTwoAndTwoIsACubic) {
  EXPECT_LT(
      distance(beta(2, 2), [](double x) { return x * x * (3 - 2 * x); }),
      kLimit);
}

// Both gammas are below the smallest double nearly always.
TEST(Beta, OfATinyShapeIsNearlyACoin) {
  Random random(1, Purpose::kAugment, 0, 0);
  int ones = 0;
  for (int i = 0; i < 1000; ++i) {
    const double x = beta_draw(random, 1e-5, 1e-5);
    EXPECT_TRUE(x < 0.01 || x > 0.99) << x;
    ones += x > 0.5 ? 1 : 0;
  }
  EXPECT_NEAR(ones, 500, 50); // three standard deviations
}

TEST(Gamma, OfOneIsExponential) {
  EXPECT_LT(
      distance(
          [](Random& random) { return std::exp(log_gamma_draw(random, 1)); },
          [](double x) { return 1 - std::exp(-x); }),
      kLimit);
}

TEST(Gamma, OfAHalfIsASquaredNormal) {
  EXPECT_LT(
      distance(
          [](Random& random) { return std::exp(log_gamma_draw(random, 0.5)); },
          [](double x) { return std::erf(std::sqrt(x)); }),
      kLimit);
}

} // namespace
} // namespace vitrain
