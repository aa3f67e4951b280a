#pragma once

#include <ATen/core/Tensor.h>

namespace vitrain::optim {

// Adafactor's arithmetic for a contiguous fp32 tensor [A, B, ...] on the CPU
// whose second moments are kept for its first two dimensions: two passes over
// the memory where torch's operators make nine. The bits do not depend on the
// number of threads.

// Means of the squares, plus `small` each.
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
  // Undefined: none. Else it becomes mean + (step - mean) x share, and is the
  // step.
  at::Tensor mean;
  float share = 1.0F;
  at::Tensor weights; // become weights x keep - step x size
  float keep = 1.0F;
  float size = 0.0F;
};
void make_step(const FactoredStep& step);

} // namespace vitrain::optim
