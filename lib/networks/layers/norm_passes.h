#pragma once

#include <cstdint>
#include <vector>

#include <ATen/core/Tensor.h>

#include "networks/layers/norm_kernels.h"

// BatchNorm with an activation on CPU tensors [N, C, H, W], fp32 or bf16, dense
// in channels_last, on all threads. Results do not depend on the number of
// threads.
namespace vitrain::networks {

using norm_kernels::Nonlinearity;

inline constexpr auto kChannelsLast = at::MemoryFormat::ChannelsLast;

// One value per channel.
using Table = std::vector<float>;
using WideTable = std::vector<double>;

struct Statistics {
  at::Tensor mean; // [C] fp32
  at::Tensor inverse; // [C] fp32: 1 / sqrt(variance + eps)
};

struct Moments {
  std::int64_t count = 0; // values per channel
  WideTable mean;
  WideTable variance; // biased
};

// Returns each channel's mean and variance over [N, H, W].
Moments moments_of(const at::Tensor& x);

// Per-channel scale and shift: norm(x) = scale x + shift.
struct Line {
  Table scale;
  Table shift;

  Line(
      const Statistics& statistics,
      const at::Tensor& weight,
      const at::Tensor& bias);
};

// Returns nonlinearity(scale x + shift + residual); an undefined residual is
// left out.
at::Tensor apply_line(
    const Line& line,
    const at::Tensor& x,
    const at::Tensor& residual,
    Nonlinearity nonlinearity);

// Inputs of the backward passes; absent tensors are undefined.
struct BackwardPass {
  at::Tensor dy;
  at::Tensor dy2; // added to dy
  at::Tensor x;
  at::Tensor y; // output of a ReLU that follows a residual sum
  // Gradient with respect to the nonlinearity's input, written by take_sums();
  // must have memory if dy2 or y is defined.
  at::Tensor g;
  Statistics statistics;
  Line line;
  Nonlinearity nonlinearity = Nonlinearity::kNone;
};

struct Sums {
  WideTable sum; // of g
  WideTable dot; // of g (x - mean)
};

// Returns the sums, and writes pass.g if it is defined. Call it before
// input_gradient().
Sums take_sums(const BackwardPass& pass);

// Returns dx. With x^ = (x - mean) inverse and n values per channel: dx =
// weight inverse (g - sum(g) / n - x^ sum(g x^) / n). If `training` is false,
// the statistics do not depend on x, and dx = weight inverse g.
at::Tensor
input_gradient(const BackwardPass& pass, const Sums& sums, bool training);

} // namespace vitrain::networks
