#include "optim/rules/factored_pass.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include <ATen/ATen.h>

#include "threads/parallel_for.h"

namespace vitrain::optim {
namespace {

// Sizes of a tensor viewed as [first, second, rest].
struct Sizes {
  explicit Sizes(const at::Tensor& tensor)
      : first(tensor.size(0)),
        second(tensor.size(1)),
        rest(tensor.numel() / (first * second)) {}

  std::int64_t row() const { return second * rest; }

  std::int64_t first;
  std::int64_t second;
  std::int64_t rest;
};

// Adds the sum over b of values[b, k] to sums[k]; values: [second, rest].
void add_over_second(const Sizes& sizes, const float* values, float* sums) {
  if (sizes.rest > 1) {
    for (std::int64_t b = 0; b < sizes.second; ++b) {
      for (std::int64_t k = 0; k < sizes.rest; ++k) {
        sums[k] += values[b * sizes.rest + k];
      }
    }
    return;
  }
  // Separate sums, which vector instructions add in parallel.
  constexpr std::int64_t kLanes = 16;
  float lanes[kLanes] = {};
  std::int64_t b = 0;
  for (; b + kLanes <= sizes.second; b += kLanes) {
    for (std::int64_t lane = 0; lane < kLanes; ++lane) {
      lanes[lane] += values[b + lane];
    }
  }
  for (; b < sizes.second; ++b) {
    lanes[0] += values[b];
  }
  for (const float lane : lanes) {
    sums[0] += lane;
  }
}

std::vector<std::int64_t> shape_of(
    const at::Tensor& tensor,
    std::int64_t averaged) {
  std::vector<std::int64_t> shape = tensor.sizes().vec();
  shape[static_cast<std::size_t>(averaged)] = 1;
  return shape;
}

} // namespace

MeanSquares mean_squares(const at::Tensor& gradient, float small) {
  const Sizes sizes(gradient);
  const std::int64_t row = sizes.row();
  // A fixed number of partial sums, added in a fixed order, whatever the number
  // of threads.
  const std::int64_t blocks = std::min<std::int64_t>(sizes.first, 16);
  const at::Tensor parts = at::zeros({blocks, row}, gradient.options());
  MeanSquares means{
      .over_first = {},
      .over_second = at::zeros(shape_of(gradient, 1), gradient.options())};
  const float* const values = gradient.const_data_ptr<float>();
  float* const firsts = parts.mutable_data_ptr<float>();
  float* const seconds = means.over_second.mutable_data_ptr<float>();
  threads::parallel_for(
      0, blocks, 1, [&](std::int64_t begin, std::int64_t end) {
        std::vector<float> squares(static_cast<std::size_t>(row));
        for (std::int64_t block = begin; block < end; ++block) {
          float* const sums = firsts + block * row;
          const std::int64_t last = sizes.first * (block + 1) / blocks;
          for (std::int64_t a = sizes.first * block / blocks; a < last; ++a) {
            const float* const from = values + a * row;
            for (std::int64_t j = 0; j < row; ++j) {
              const float square = from[j] * from[j];
              squares[static_cast<std::size_t>(j)] = square;
              sums[j] += square;
            }
            add_over_second(sizes, squares.data(), seconds + a * sizes.rest);
          }
        }
      });
  means.over_first = parts.sum(0)
                         .div_(static_cast<double>(sizes.first))
                         .add_(small)
                         .view(shape_of(gradient, 0));
  means.over_second.div_(static_cast<double>(sizes.second)).add_(small);
  return means;
}

void make_step(const FactoredStep& step) {
  const Sizes sizes(step.gradient);
  const std::int64_t row = sizes.row();
  const at::Tensor by_first = step.by_first.contiguous();
  const at::Tensor by_second = step.by_second.contiguous();
  const float* const gradients = step.gradient.const_data_ptr<float>();
  const float* const firsts = by_first.const_data_ptr<float>();
  const float* const seconds = by_second.const_data_ptr<float>();
  float* const means =
      step.mean.defined() ? step.mean.mutable_data_ptr<float>() : nullptr;
  float* const weights = step.weights.mutable_data_ptr<float>();
  const auto [share, keep, size] = std::array{step.share, step.keep, step.size};
  const std::int64_t grain = std::max<std::int64_t>(1, 16384 / row);
  threads::parallel_for(
      0, sizes.first, grain, [&](std::int64_t begin, std::int64_t end) {
        std::vector<float> factors(static_cast<std::size_t>(row));
        for (std::int64_t a = begin; a < end; ++a) {
          const float* const own = firsts + a * sizes.rest;
          for (std::int64_t b = 0; b < sizes.second; ++b) {
            std::copy_n(
                own,
                sizes.rest,
                factors.begin() + static_cast<std::ptrdiff_t>(b * sizes.rest));
          }
          const float* const by = factors.data();
          const float* const from = gradients + a * row;
          float* const to = weights + a * row;
          float* const mean = means == nullptr ? nullptr : means + a * row;
          for (std::int64_t j = 0; j < row; ++j) {
            float made = from[j] * by[j] * seconds[j];
            if (mean != nullptr) {
              made = mean[j] + (made - mean[j]) * share;
              mean[j] = made;
            }
            to[j] = to[j] * keep - made * size;
          }
        }
      });
}

} // namespace vitrain::optim
