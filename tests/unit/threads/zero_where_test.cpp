#include "threads/zero_where.h"

#include <limits>

#include <ATen/ATen.h>
#include <gmock/gmock.h>

namespace vitrain::threads {
namespace {

TEST(ClearWhere, IsMaskedFillWithZero) {
  for (const std::int64_t size : {0, 1, 7, 33, 200'003}) {
    for (const at::ScalarType type : {at::kFloat, at::kDouble}) {
      const at::Tensor values = at::randn({size}, type);
      const at::Tensor mask = at::rand({size}) < 0.4;
      if (size > 7) {
        values[3] = std::numeric_limits<double>::quiet_NaN();
        values[5] = -std::numeric_limits<double>::infinity();
        values[6] = std::numeric_limits<double>::quiet_NaN();
        mask.narrow(0, 3, 3).fill_(true);
        mask[6] = false;
      }
      const at::Tensor expected = values.masked_fill(mask, 0);
      zero_where(values, mask);
      EXPECT_TRUE(at::allclose(
          values, expected, /*rtol=*/0, /*atol=*/0, /*equal_nan=*/true))
          << size;
    }
  }
}

TEST(ClearWhere, TakesTheOrderOfTheMemory) {
  const at::Tensor values =
      at::ones({2, 3, 4, 5}).contiguous(at::MemoryFormat::ChannelsLast);
  const at::Tensor mask = at::zeros_like(values, at::kBool);
  mask[1][2][3][4] = true;
  zero_where(values, mask);
  EXPECT_EQ(values[1][2][3][4].item<float>(), 0.0F);
  EXPECT_EQ(values.sum().item<float>(), 119.0F);
}

} // namespace
} // namespace vitrain::threads
