#include "engine/device/autocast.h"

#include <gtest/gtest.h>

#include <ATen/ATen.h>

namespace vitrain::engine {
namespace {

using config::Precision;

TEST(AutocastScope, EndsWithTheScope) {
  const at::Tensor a = at::randn({4, 4});
  {
    const AutocastScope scope(at::kCPU, at::kBFloat16);
    EXPECT_EQ(at::linear(a, a).scalar_type(), at::kBFloat16);
    {
      const AutocastScope inner(at::kCPU, /*products=*/std::nullopt);
      EXPECT_EQ(at::linear(a, a).scalar_type(), at::kFloat);
      EXPECT_EQ(current_product_type(at::kCPU), std::nullopt);
    }
    {
      const AutocastScope inner(at::kCPU, product_type(Precision::kFp16));
      EXPECT_EQ(at::linear(a, a).scalar_type(), at::kHalf);
    }
    EXPECT_EQ(at::linear(a, a).scalar_type(), at::kBFloat16);
  }
  EXPECT_EQ(at::linear(a, a).scalar_type(), at::kFloat);
}

} // namespace
} // namespace vitrain::engine
