#include "engine/device/autocast.h"

#include <gtest/gtest.h>

#include <ATen/ATen.h>
#include <ATen/Context.h>

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

TEST(Tf32Scope, EndsWithTheScope) {
  const at::Context& context = at::globalContext();
  const auto expect = [&](bool products, bool convolutions) {
    EXPECT_EQ(context.allowTF32CuBLAS(), products);
    EXPECT_EQ(context.allowTF32CuDNN(), convolutions);
  };
  allow_tf32(c10::kCUDA, false);
  at::globalContext().setAllowTF32CuDNN(true); // torch's default
  {
    const Tf32Scope scope(c10::kCUDA, true);
    expect(true, true);
    {
      const Tf32Scope inner(c10::kCUDA, false);
      expect(false, false);
      const Tf32Scope other(c10::kCPU, true);
      expect(false, false);
    }
    expect(true, true);
  }
  expect(false, true);
}

} // namespace
} // namespace vitrain::engine
