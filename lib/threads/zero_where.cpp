#include "threads/zero_where.h"

#include <bit>
#include <cstdint>

#include <ATen/ATen.h>

#include "threads/parallel_for.h"

namespace vitrain::threads {

void zero_where(const at::Tensor& values, const at::Tensor& mask) {
  if (!values.is_cpu() || values.scalar_type() != at::kFloat) {
    values.masked_fill_(mask, 0);
    return;
  }
  float* const to = values.mutable_data_ptr<float>();
  const auto* const where =
      static_cast<const std::uint8_t*>(mask.const_data_ptr());
  constexpr std::int64_t kGrain = 65536;
  parallel_for(
      0, values.numel(), kGrain, [=](std::int64_t begin, std::int64_t end) {
        for (std::int64_t i = begin; i < end; ++i) {
          // The mask is all ones or zero. Without a branch, the loop is
          // vectorized.
          to[i] = std::bit_cast<float>(
              std::bit_cast<std::uint32_t>(to[i]) & (where[i] - 1U));
        }
      });
}

} // namespace vitrain::threads
