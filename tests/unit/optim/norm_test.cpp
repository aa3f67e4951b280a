#include "optim/norm.h"

#include <cmath>
#include <limits>

#include <ATen/ATen.h>
#include <ATen/Parallel.h>
#include <gtest/gtest.h>

namespace vitrain::optim {
namespace {

double in_double(const at::Tensor& values) {
  return values.to(at::kDouble).square().sum().sqrt().item<double>();
}

// Sums of blocks, in fp32, are right to a few roundings; torch's own are short
// by 1e-3 here.
TEST(EuclideanNorm, LosesNoDigitsInMillionsOfNumbers) {
  const at::Tensor values =
      at::full({30'000'001}, 1e-3, at::kFloat).narrow(0, 1, 30'000'000);
  EXPECT_NEAR(
      euclidean_norm(values).item<double>() / in_double(values), 1.0, 2e-6);
}

TEST(EuclideanNorm, IsRightAtAwkwardSizesAndOffsets) {
  at::manual_seed(3);
  for (const std::int64_t size :
       {0, 1, 31, 32, 33, 8191, 8192, 8193, 140'007}) {
    for (const std::int64_t offset : {0, 1, 3}) {
      const at::Tensor values =
          at::randn({size + offset}).narrow(0, offset, size);
      EXPECT_NEAR(
          euclidean_norm(values).item<double>(),
          in_double(values),
          2e-6 * in_double(values))
          << size << " from " << offset;
    }
  }
}

TEST(EuclideanNorm, HasTheSameBitsWithAnyNumberOfThreads) {
  at::manual_seed(4);
  const at::Tensor values = at::randn({3'000'017});
  const int before = at::get_num_threads();
  const float expected = euclidean_norm(values).item<float>();
  for (const int threads : {1, 2, 3}) {
    at::set_num_threads(threads);
    EXPECT_EQ(euclidean_norm(values).item<float>(), expected) << threads;
  }
  at::set_num_threads(before);
}

TEST(EuclideanNorm, SaysWhatIsNotFinite) {
  for (const float bad :
       {std::numeric_limits<float>::infinity(),
        std::numeric_limits<float>::quiet_NaN(),
        1e30F}) {
    at::Tensor values = at::ones({20'000});
    values[12'345] = bad;
    EXPECT_FALSE(std::isfinite(euclidean_norm(values).item<float>())) << bad;
  }
}

TEST(EuclideanNorm, OfParts) {
  const at::Tensor norms = euclidean_norms(
      {at::full({4}, 3.0), at::full({9}, -2.0), at::zeros({5})});
  EXPECT_TRUE(at::equal(norms, at::tensor({6.0, 6.0, 0.0}, at::kFloat)));
}

} // namespace
} // namespace vitrain::optim
