#pragma once

#include "image/operations/resample_kernels.h"

// Vectorised Kernels::weigh, included by the source files that are compiled for
// an instruction set. Each lane computes one output with the operations of the
// scalar kernels in the same order, so the weights are bit-identical.
namespace vitrain::image {
namespace {

#if defined(__AVX512F__)
constexpr int kLanes = 8;
#else
constexpr int kLanes = 4;
#endif
using Doubles = double __attribute__((vector_size(kLanes * 8)));
using Longs = long long __attribute__((vector_size(kLanes * 8)));
using Ints = int __attribute__((vector_size(kLanes * 4)));

[[gnu::always_inline]] inline Doubles all(double x) {
  return x - Doubles{};
}

[[gnu::always_inline]] inline Doubles magnitude(Doubles x) {
  return reinterpret_cast<Doubles>(
      reinterpret_cast<Longs>(x) & 0x7FFFFFFFFFFFFFFF);
}

struct BoxCurve {
  static Doubles at(Doubles x) {
    return ((x > -0.5) & (x <= 0.5)) ? all(1.0) : all(0.0);
  }
};

struct BilinearCurve {
  static Doubles at(Doubles x) {
    x = magnitude(x);
    return x < 1.0 ? 1.0 - x : all(0.0);
  }
};

struct BicubicCurve {
  static Doubles at(Doubles x) {
    constexpr double kA = -0.5;
    x = magnitude(x);
    const Doubles near = ((kA + 2.0) * x - (kA + 3.0)) * x * x + 1;
    const Doubles far = (((x - 5) * x + 8) * x - 4) * kA;
    return x < 1.0 ? near : (x < 2.0 ? far : all(0.0));
  }
};

template <typename Filter>
void weigh_along(
    const Taps& taps,
    const double* centers,
    double shrink,
    double* exact,
    std::int32_t* weights) {
  for (int begin = 0; begin < taps.outputs; begin += kLanes) {
    Doubles center{};
    Doubles first{};
    Longs count{};
    int most = 0;
    int lanes = taps.outputs - begin;
    lanes = lanes < kLanes ? lanes : kLanes;
    for (int lane = 0; lane < lanes; ++lane) {
      center[lane] = centers[begin + lane];
      first[lane] = taps.origin + taps.first[begin + lane];
      count[lane] = taps.counts[begin + lane];
      most = count[lane] > most ? static_cast<int>(count[lane]) : most;
    }
    auto* values = reinterpret_cast<Doubles*>(exact);
    Doubles sum{};
    for (int k = 0; k < most; ++k) {
      const Doubles value = Filter::at(
          ((first + static_cast<double>(k)) - center + 0.5) * shrink);
      values[k] = k < count ? value : all(0.0);
      sum += values[k];
    }
    for (int k = 0; k < most; ++k) {
      const Doubles share = sum != 0.0 ? values[k] / sum : values[k];
      const Doubles scaled = share * static_cast<double>(1 << kWeightBits);
      const Ints fixed = __builtin_convertvector(
          share < 0.0 ? scaled - 0.5 : scaled + 0.5, Ints);
      for (int lane = 0; lane < lanes; ++lane) {
        weights[static_cast<std::ptrdiff_t>(begin + lane) * taps.stride + k] =
            fixed[lane];
      }
    }
  }
}

// Implements Kernels::weigh; uses the scalar kernels for curves with sines.
void weigh(
    const Taps& taps,
    ResampleFilter curve,
    const double* centers,
    double shrink,
    double* exact,
    std::int32_t* weights) {
  switch (curve) {
    case ResampleFilter::kBox:
      return weigh_along<BoxCurve>(taps, centers, shrink, exact, weights);
    case ResampleFilter::kBilinear:
      return weigh_along<BilinearCurve>(taps, centers, shrink, exact, weights);
    case ResampleFilter::kBicubic:
      return weigh_along<BicubicCurve>(taps, centers, shrink, exact, weights);
    case ResampleFilter::kHamming:
    case ResampleFilter::kLanczos:
      return kScalarKernels.weigh(taps, curve, centers, shrink, exact, weights);
  }
}

} // namespace
} // namespace vitrain::image
