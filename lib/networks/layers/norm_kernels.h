#pragma once

#include <cstdint>

// Kernels of BatchNorm with an activation over rows of a channels_last batch; a
// row is the C channels of one pixel. Each kernel processes the given rows on
// one thread. T is float, or std::uint16_t for the bits of bf16; arithmetic is
// in fp32. Per-channel tables have C floats.
namespace vitrain::networks::norm_kernels {

// Activation after the norm; kSilu is x * sigmoid(x), kHardSwish is x times
// relu6(x + 3) / 6. There is no kernel for kGelu.
enum class Nonlinearity { kNone, kRelu, kRelu6, kSilu, kHardSwish, kGelu };

template <typename T>
struct Forward {
  const T* x;
  const T* residual; // null: no residual
  T* y;
  const float* scale;
  const float* shift;
  Nonlinearity nonlinearity;
};

// Inputs of backward. g, the gradient with respect to the nonlinearity's input,
// is (dy + dy2) times the nonlinearity's derivative, which for a ReLU is 1
// where y is positive, else 0.
template <typename T>
struct Backward {
  const T* dy;
  const T* dy2; // added to dy, or null
  const T* x;
  const T* y; // output of a ReLU that follows a residual sum; else null
  // Written by sums(), read by gradient() in place of dy; may be null only if
  // dy2 and y are null.
  T* g;
  const float* mean;
  const float* scale;
  const float* shift;
  Nonlinearity nonlinearity;
};

// Per-channel terms of gradient().
struct Terms {
  const float* slope;
  const float* constant;
};

// Computes each channel's mean and sum of squared deviations; rows > 0.
void statistics(
    const float* x,
    std::int64_t rows,
    std::int64_t channels,
    float* mean,
    float* squares);
// y = nonlinearity(scale x + shift + residual).
void normalize(
    const Forward<float>& pass,
    std::int64_t rows,
    std::int64_t channels);
// Computes each channel's sums of g and g (x - mean).
void sums(
    const Backward<float>& pass,
    std::int64_t rows,
    std::int64_t channels,
    float* sum,
    float* dot);
// dx = scale g + slope (x - mean) + constant.
void gradient(
    const Backward<float>& pass,
    const Terms& terms,
    float* dx,
    std::int64_t rows,
    std::int64_t channels);

// statistics(), normalize(), sums() and gradient() for bf16.
void statistics(
    const std::uint16_t* x,
    std::int64_t rows,
    std::int64_t channels,
    float* mean,
    float* squares);
void normalize(
    const Forward<std::uint16_t>& pass,
    std::int64_t rows,
    std::int64_t channels);
void sums(
    const Backward<std::uint16_t>& pass,
    std::int64_t rows,
    std::int64_t channels,
    float* sum,
    float* dot);
void gradient(
    const Backward<std::uint16_t>& pass,
    const Terms& terms,
    std::uint16_t* dx,
    std::int64_t rows,
    std::int64_t channels);

} // namespace vitrain::networks::norm_kernels
