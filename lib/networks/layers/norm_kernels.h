#pragma once

#include <cstdint>

// The passes of BatchNorm with an activation over the rows of a batch in
// channels_last: a row is the C channels of one pixel. Each works on the rows
// it is given, on one thread. T is float, or std::uint16_t for the bits of a
// bf16; arithmetic is in fp32. Tables of one number per channel have C floats.
namespace vitrain::networks::norm_kernels {

// What follows the norm: kSilu is x sigmoid(x).
enum class Nonlinearity { kNone, kRelu, kRelu6, kSilu };

template <typename T>
struct Forward {
  const T* x;
  const T* residual; // or null
  T* y;
  const float* scale;
  const float* shift;
  Nonlinearity nonlinearity;
};

// The gradient g of what went into the nonlinearity is that of y, dy + dy2,
// times its slope: of a ReLU 1 where y was positive.
template <typename T>
struct Backward {
  const T* dy;
  const T* dy2; // added to dy, or null
  const T* x;
  const T* y; // of a ReLU over more than scale x + shift; else null
  T* g; // written by sums(), read by gradient() in place of dy; or null: no dy2
  const float* mean;
  const float* scale;
  const float* shift;
  Nonlinearity nonlinearity;
};

struct Terms {
  const float* slope;
  const float* constant;
};

// Mean, and sum of squared distances from it, of each channel; rows > 0.
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
// Per channel the sums of g and of g (x - mean).
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

// The same for bf16.
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
