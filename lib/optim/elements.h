#pragma once

#include <cmath>
#include <cstdint>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

#include <ATen/ATen.h>

namespace vitrain::optim {

// An optimizer rule's arithmetic is written once, for an element type T. On the
// CPU T is Lanes, and one pass over the buffers makes the whole update; on
// other devices T is Value, and each operator is a kernel on a block that stays
// in the cache.

// SIMD vector of four fp32 numbers.
struct Lanes {
  using Native = float __attribute__((vector_size(16), may_alias));
  static constexpr std::int64_t kCount = 4;

  Native v;

  Lanes() = default;
  Lanes(Native native) : v(native) {}
  explicit Lanes(double all) : v(Native{} + static_cast<float>(all)) {}

  friend Lanes operator+(Lanes a, Lanes b) { return a.v + b.v; }
  friend Lanes operator-(Lanes a, Lanes b) { return a.v - b.v; }
  friend Lanes operator*(Lanes a, Lanes b) { return a.v * b.v; }
  friend Lanes operator/(Lanes a, Lanes b) { return a.v / b.v; }

  friend Lanes sqrt(Lanes a) {
#ifdef __SSE2__
    return Native(_mm_sqrt_ps(__m128(a.v)));
#else
    for (int i = 0; i < kCount; ++i) {
      a.v[i] = std::sqrt(a.v[i]);
    }
    return a;
#endif
  }
  // Returns 1 for each a > 0, else 0.
  friend Lanes positive(Lanes a) {
    const Native zero{};
    return a.v > zero ? zero + 1.0F : zero;
  }
  // Returns -1, 0 or 1.
  friend Lanes sign(Lanes a) { return positive(a) - positive(Lanes(-a.v)); }
};

// Tensor with the operators of Lanes, or a scalar tensor that applies to all
// elements and whose value may be known on the device only.
struct Value {
  at::Tensor t;

  Value(at::Tensor tensor) : t(std::move(tensor)) {}
  Value(double number) : t(at::scalar_tensor(number, at::kDouble)) {}

  friend Value operator+(const Value& a, const Value& b) { return a.t + b.t; }
  friend Value operator-(const Value& a, const Value& b) { return a.t - b.t; }
  friend Value operator*(const Value& a, const Value& b) { return a.t * b.t; }
  friend Value operator/(const Value& a, const Value& b) { return a.t / b.t; }
  friend Value sqrt(const Value& a) { return a.t.sqrt(); }
  friend Value positive(const Value& a) { return a.t.gt(0).to(at::kFloat); }
  friend Value sign(const Value& a) { return a.t.sign(); }
  friend Value pow(double base, const Value& exponent) {
    return at::pow(base, exponent.t);
  }
};

// Returns a + (b - a) * share.
template <typename T>
T mixed(const T& a, const T& b, const T& share) {
  return a + (b - a) * share;
}

// A rule's kernel for one step: weights become weights * keep - step(weights,
// gradient, state).
template <typename T, typename Step>
struct Kernel {
  T keep;
  Step step;
};
template <typename T, typename Step>
Kernel(T, Step) -> Kernel<T, Step>;

} // namespace vitrain::optim
