#include "engine/run/autocast.h"

#include <gtest/gtest.h>

#include <ATen/ATen.h>

namespace vitrain::engine {
namespace {

TEST(AutocastScope, EndsWithTheScope) {
  const at::Tensor a = at::randn({4, 4});
  {
    const AutocastScope scope(at::kCPU, /*enabled=*/true);
    EXPECT_EQ(at::linear(a, a).scalar_type(), at::kBFloat16);
    {
      const AutocastScope inner(at::kCPU, /*enabled=*/false);
      EXPECT_EQ(at::linear(a, a).scalar_type(), at::kFloat);
    }
    EXPECT_EQ(at::linear(a, a).scalar_type(), at::kBFloat16);
  }
  EXPECT_EQ(at::linear(a, a).scalar_type(), at::kFloat);
}

} // namespace
} // namespace vitrain::engine
