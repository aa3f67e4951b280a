#include "optim/norm.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <numeric>
#include <vector>

#include <ATen/ATen.h>

#include "optim/elements.h"
#include "threads/parallel_for.h"

namespace vitrain::optim {
namespace {

constexpr std::int64_t kBlock = 8192;

using Unaligned __attribute__((aligned(sizeof(float)))) = Lanes::Native;

float sum_of_squares(const float* values, std::int64_t count) {
  // Independent sums, so that additions overlap.
  constexpr std::int64_t kSums = 8;
  constexpr std::int64_t kStride = kSums * Lanes::kCount;
  Lanes sums[kSums];
  std::ranges::fill(sums, Lanes(0.0));
  std::int64_t i = 0;
  for (; i + kStride <= count; i += kStride) {
    for (std::int64_t k = 0; k < kSums; ++k) {
      const Lanes x = Lanes::Native(
          *reinterpret_cast<const Unaligned*>(values + i + k * Lanes::kCount));
      sums[k] = sums[k] + x * x;
    }
  }
  float rest = 0.0F;
  for (; i < count; ++i) {
    rest += values[i] * values[i];
  }
  for (const Lanes& sum : sums) {
    for (int lane = 0; lane < Lanes::kCount; ++lane) {
      rest += sum.v[lane];
    }
  }
  return rest;
}

} // namespace

at::Tensor euclidean_norm(const at::Tensor& values) {
  if (!values.is_cpu()) {
    return at::linalg_vector_norm(values);
  }
  const float* const data = values.const_data_ptr<float>();
  const std::int64_t count = values.numel();
  std::vector<double> sums((count + kBlock - 1) / kBlock);
  threads::parallel_for(
      0,
      static_cast<std::int64_t>(sums.size()),
      /*grain_size=*/16,
      [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t i = begin; i < end; ++i) {
          sums[i] = sum_of_squares(
              data + i * kBlock, std::min(kBlock, count - i * kBlock));
        }
      });
  const double sum = std::accumulate(sums.begin(), sums.end(), 0.0);
  return at::scalar_tensor(
      std::sqrt(static_cast<float>(sum)), values.options());
}

at::Tensor euclidean_norms(const std::vector<at::Tensor>& parts) {
  if (!parts.front().is_cpu()) {
    return at::stack(at::_foreach_norm(parts));
  }
  std::vector<at::Tensor> norms;
  std::ranges::transform(parts, std::back_inserter(norms), euclidean_norm);
  return at::stack(norms);
}

} // namespace vitrain::optim
