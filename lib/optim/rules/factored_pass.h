#pragma once

#include <ATen/core/Tensor.h>

namespace vitrain::optim {

// Adafactor's arithmetic on the CPU, for a contiguous fp32 tensor [A, B, ...]
// whose second moments are factored over its first two dimensions: two passes
// over the memory instead of the nine of torch's operators. Results do not
// depend on the number of threads, bit for bit.

// Means of the squares of a tensor [A, B, ...], plus `small` each.
struct MeanSquares {
  at::Tensor over_first; // [1, B, ...]
  at::Tensor over_second; // [A, 1, ...]
};
MeanSquares mean_squares(const at::Tensor& gradient, float small);

// A step, gradient * by_first * by_second, and its destination.
struct FactoredStep {
  at::Tensor gradient;
  at::Tensor by_first; // [A, 1, ...]
  at::Tensor by_second; // [1, B, ...]
  // Momentum buffer; undefined: none. Otherwise it becomes mean + (step - mean)
  // * share, and the result is used as the step.
  at::Tensor mean;
  float share = 1.0F;
  at::Tensor weights; // become weights * keep - step * size
  float keep = 1.0F;
  float size = 0.0F;
};
void make_step(const FactoredStep& step);

} // namespace vitrain::optim
