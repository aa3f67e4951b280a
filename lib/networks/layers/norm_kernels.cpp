#include "networks/layers/norm_kernels.h"

#include <bit>

// Compiles the channel loops once for each of these instruction sets; the
// loader chooses one. Forward and backward run the same kernel, so that both
// see the same sign of a ReLU's input.
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__)
#define VITRAIN_CLONES \
  __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#else
#define VITRAIN_CLONES
#endif
#define VITRAIN_INLINE inline __attribute__((always_inline))

namespace vitrain::networks::norm_kernels {
namespace {

VITRAIN_INLINE float wide(float value) {
  return value;
}

VITRAIN_INLINE float wide(std::uint16_t bits) {
  return std::bit_cast<float>(std::uint32_t{bits} << 16);
}

VITRAIN_INLINE void store(float value, float* out) {
  *out = value;
}

// Rounds to bf16: to nearest, ties to even; NaN stays NaN.
VITRAIN_INLINE void store(float value, std::uint16_t* out) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  const std::uint32_t rounded = (bits + 0x7FFF + ((bits >> 16) & 1)) >> 16;
  *out = static_cast<std::uint16_t>(value == value ? rounded : 0x7FC0);
}

// Returns max(value, 0); NaN stays NaN, as in torch.
VITRAIN_INLINE float positive(float value) {
  return value < 0.0F ? 0.0F : value;
}

// Returns e^x to 2 ulp for x clamped to +-87; NaN stays NaN. With n = round(x /
// ln 2), e^x = 2^n e^(x - n ln 2); the second factor is the Taylor polynomial
// of degree 7 on +-0.35 (remainder below 6e-9). Adding 1.5 x 2^23 rounds and
// leaves n in the lowest bits.
VITRAIN_INLINE float exponential(float x) {
  constexpr float kRounding = 12582912.0F;
  x = x < -87.0F ? -87.0F : x;
  x = x > 87.0F ? 87.0F : x;
  const float shifted = x * 1.44269504F + kRounding;
  const float n = shifted - kRounding;
  // ln 2 is split into two constants, the first short enough that its product
  // with n is exact.
  const float r = (x - n * 0.693359375F) - n * -2.12194440e-4F;
  float sum = 1.0F / 5040.0F;
  sum = sum * r + 1.0F / 720.0F;
  sum = sum * r + 1.0F / 120.0F;
  sum = sum * r + 1.0F / 24.0F;
  sum = sum * r + 1.0F / 6.0F;
  sum = sum * r + 0.5F;
  sum = sum * r + 1.0F;
  sum = sum * r + 1.0F;
  const std::uint32_t power = (std::bit_cast<std::uint32_t>(shifted) << 23) +
      (std::uint32_t{127} << 23);
  return sum * std::bit_cast<float>(power);
}

VITRAIN_INLINE float sigmoid(float x) {
  return 1.0F / (1.0F + exponential(-x));
}

template <Nonlinearity kKind>
VITRAIN_INLINE float after(float x) {
  if constexpr (kKind == Nonlinearity::kRelu) {
    return positive(x);
  } else if constexpr (kKind == Nonlinearity::kRelu6) {
    const float low = positive(x);
    return low > 6.0F ? 6.0F : low;
  } else if constexpr (kKind == Nonlinearity::kSilu) {
    return x * sigmoid(x);
  } else if constexpr (kKind == Nonlinearity::kHardSwish) {
    return x * after<Nonlinearity::kRelu6>(x + 3.0F) * (1.0F / 6.0F);
  } else {
    return x;
  }
}

// Returns `g` times the derivative of the nonlinearity at x.
template <Nonlinearity kKind>
VITRAIN_INLINE float before(float g, float x) {
  if constexpr (kKind == Nonlinearity::kRelu) {
    return x <= 0.0F ? 0.0F : g;
  } else if constexpr (kKind == Nonlinearity::kRelu6) {
    const float low = x <= 0.0F ? 0.0F : g;
    return x >= 6.0F ? 0.0F : low;
  } else if constexpr (kKind == Nonlinearity::kSilu) {
    const float s = sigmoid(x);
    return g * (s * (1.0F + x * (1.0F - s)));
  } else if constexpr (kKind == Nonlinearity::kHardSwish) {
    const float middle = g * (x * (1.0F / 3.0F) + 0.5F);
    const float low = x <= -3.0F ? 0.0F : middle;
    return x >= 3.0F ? g : low;
  } else {
    return g;
  }
}

template <typename T>
VITRAIN_INLINE void statistics_body(
    const T* __restrict x,
    std::int64_t rows,
    std::int64_t channels,
    float* __restrict mean,
    float* __restrict squares) {
  for (std::int64_t c = 0; c < channels; ++c) {
    mean[c] = 0.0F;
    squares[c] = 0.0F;
  }
  std::int64_t row = 0;
  for (; row + 4 <= rows; row += 4) {
    const T* __restrict x0 = x + row * channels;
    for (std::int64_t c = 0; c < channels; ++c) {
      mean[c] += (wide(x0[c]) + wide(x0[c + channels])) +
          (wide(x0[c + 2 * channels]) + wide(x0[c + 3 * channels]));
    }
  }
  for (; row < rows; ++row) {
    for (std::int64_t c = 0; c < channels; ++c) {
      mean[c] += wide(x[row * channels + c]);
    }
  }
  const float inverse = 1.0F / static_cast<float>(rows);
  for (std::int64_t c = 0; c < channels; ++c) {
    mean[c] *= inverse;
  }
  for (row = 0; row + 4 <= rows; row += 4) {
    const T* __restrict x0 = x + row * channels;
    for (std::int64_t c = 0; c < channels; ++c) {
      const float d0 = wide(x0[c]) - mean[c];
      const float d1 = wide(x0[c + channels]) - mean[c];
      const float d2 = wide(x0[c + 2 * channels]) - mean[c];
      const float d3 = wide(x0[c + 3 * channels]) - mean[c];
      squares[c] += (d0 * d0 + d1 * d1) + (d2 * d2 + d3 * d3);
    }
  }
  for (; row < rows; ++row) {
    for (std::int64_t c = 0; c < channels; ++c) {
      const float d = wide(x[row * channels + c]) - mean[c];
      squares[c] += d * d;
    }
  }
}

template <bool kResidual, Nonlinearity kKind, typename T>
VITRAIN_INLINE void normalize_body(
    const Forward<T>& pass,
    std::int64_t rows,
    std::int64_t channels) {
  const float* __restrict scale = pass.scale;
  const float* __restrict shift = pass.shift;
  for (std::int64_t row = 0; row < rows; ++row) {
    const T* __restrict x = pass.x + row * channels;
    const T* __restrict residual =
        kResidual ? pass.residual + row * channels : nullptr;
    T* __restrict y = pass.y + row * channels;
    for (std::int64_t c = 0; c < channels; ++c) {
      float value = wide(x[c]) * scale[c] + shift[c];
      if constexpr (kResidual) {
        value += wide(residual[c]);
      }
      store(after<kKind>(value), &y[c]);
    }
  }
}

template <Nonlinearity kKind, typename T>
VITRAIN_INLINE void normalize_kind(
    const Forward<T>& pass,
    std::int64_t rows,
    std::int64_t channels) {
  if (pass.residual != nullptr) {
    normalize_body<true, kKind>(pass, rows, channels);
  } else {
    normalize_body<false, kKind>(pass, rows, channels);
  }
}

template <typename T>
VITRAIN_INLINE void normalize_any(
    const Forward<T>& pass,
    std::int64_t rows,
    std::int64_t channels) {
  switch (pass.nonlinearity) {
    case Nonlinearity::kNone:
      return normalize_kind<Nonlinearity::kNone>(pass, rows, channels);
    case Nonlinearity::kRelu:
      return normalize_kind<Nonlinearity::kRelu>(pass, rows, channels);
    case Nonlinearity::kRelu6:
      return normalize_kind<Nonlinearity::kRelu6>(pass, rows, channels);
    case Nonlinearity::kSilu:
      return normalize_kind<Nonlinearity::kSilu>(pass, rows, channels);
    case Nonlinearity::kHardSwish:
      return normalize_kind<Nonlinearity::kHardSwish>(pass, rows, channels);
    case Nonlinearity::kGelu:
      return;
  }
}

// Number of channels whose values fit into L1.
constexpr std::int64_t kBlock = 256;

// kOutput: takes the derivative of kKind, a ReLU, from its result y instead of
// its input. kSecond: adds dy2. kKeep: writes g.
template <
    Nonlinearity kKind,
    bool kOutput,
    bool kSecond,
    bool kKeep,
    typename T>
VITRAIN_INLINE void sums_body(
    const Backward<T>& pass,
    std::int64_t rows,
    std::int64_t channels,
    float* __restrict sum,
    float* __restrict dot) {
  const float* __restrict mean = pass.mean;
  const float* __restrict scale = pass.scale;
  const float* __restrict shift = pass.shift;
  for (std::int64_t c = 0; c < channels; ++c) {
    sum[c] = 0.0F;
    dot[c] = 0.0F;
  }
  for (std::int64_t row = 0; row < rows; ++row) {
    const std::int64_t at = row * channels;
    const T* __restrict dy = pass.dy + at;
    const T* __restrict dy2 = kSecond ? pass.dy2 + at : nullptr;
    const T* __restrict x = pass.x + at;
    const T* __restrict y = kOutput ? pass.y + at : nullptr;
    T* __restrict g = kKeep ? pass.g + at : nullptr;
    // Several loops: the compiler does not vectorise one loop that writes
    // values of 2 and 4 bytes.
    float values[kBlock];
    for (std::int64_t first = 0; first < channels; first += kBlock) {
      const std::int64_t count =
          channels - first < kBlock ? channels - first : kBlock;
      for (std::int64_t i = 0; i < count; ++i) {
        const std::int64_t c = first + i;
        float value = wide(dy[c]);
        if constexpr (kSecond) {
          value += wide(dy2[c]);
        }
        if constexpr (kOutput) {
          value = before<kKind>(value, wide(y[c]));
        } else {
          value = before<kKind>(value, wide(x[c]) * scale[c] + shift[c]);
        }
        values[i] = value;
      }
      if constexpr (kKeep) {
        for (std::int64_t i = 0; i < count; ++i) {
          store(values[i], &g[first + i]);
        }
      }
      for (std::int64_t i = 0; i < count; ++i) {
        const std::int64_t c = first + i;
        sum[c] += values[i];
        dot[c] += values[i] * (wide(x[c]) - mean[c]);
      }
    }
  }
}

template <Nonlinearity kKind, bool kOutput = false, typename T>
VITRAIN_INLINE void sums_kind(
    const Backward<T>& pass,
    std::int64_t rows,
    std::int64_t channels,
    float* sum,
    float* dot) {
  if (pass.g == nullptr) {
    sums_body<kKind, kOutput, false, false>(pass, rows, channels, sum, dot);
  } else if (pass.dy2 == nullptr) {
    sums_body<kKind, kOutput, false, true>(pass, rows, channels, sum, dot);
  } else {
    sums_body<kKind, kOutput, true, true>(pass, rows, channels, sum, dot);
  }
}

template <typename T>
VITRAIN_INLINE void sums_any(
    const Backward<T>& pass,
    std::int64_t rows,
    std::int64_t channels,
    float* sum,
    float* dot) {
  using enum Nonlinearity;
  if (pass.y != nullptr) {
    return sums_kind<kRelu, true>(pass, rows, channels, sum, dot);
  }
  switch (pass.nonlinearity) {
    case kNone:
      return sums_kind<kNone>(pass, rows, channels, sum, dot);
    case kRelu:
      return sums_kind<kRelu>(pass, rows, channels, sum, dot);
    case kRelu6:
      return sums_kind<kRelu6>(pass, rows, channels, sum, dot);
    case kSilu:
      return sums_kind<kSilu>(pass, rows, channels, sum, dot);
    case kHardSwish:
      return sums_kind<kHardSwish>(pass, rows, channels, sum, dot);
    case kGelu:
      return;
  }
}

template <Nonlinearity kKind, typename T>
VITRAIN_INLINE void gradient_body(
    const Backward<T>& pass,
    const Terms& terms,
    const T* from,
    T* out,
    std::int64_t rows,
    std::int64_t channels) {
  const float* __restrict mean = pass.mean;
  const float* __restrict scale = pass.scale;
  const float* __restrict shift = pass.shift;
  const float* __restrict slope = terms.slope;
  const float* __restrict constant = terms.constant;
  for (std::int64_t row = 0; row < rows; ++row) {
    const T* __restrict g = from + row * channels;
    const T* __restrict x = pass.x + row * channels;
    T* __restrict dx = out + row * channels;
    for (std::int64_t c = 0; c < channels; ++c) {
      const float input = wide(x[c]);
      const float value =
          before<kKind>(wide(g[c]), input * scale[c] + shift[c]);
      store(
          scale[c] * value + slope[c] * (input - mean[c]) + constant[c],
          &dx[c]);
    }
  }
}

template <typename T>
VITRAIN_INLINE void gradient_any(
    const Backward<T>& pass,
    const Terms& terms,
    T* dx,
    std::int64_t rows,
    std::int64_t channels) {
  using enum Nonlinearity;
  if (pass.g != nullptr) {
    return gradient_body<kNone>(pass, terms, pass.g, dx, rows, channels);
  }
  switch (pass.nonlinearity) {
    case kNone:
      return gradient_body<kNone>(pass, terms, pass.dy, dx, rows, channels);
    case kRelu:
      return gradient_body<kRelu>(pass, terms, pass.dy, dx, rows, channels);
    case kRelu6:
      return gradient_body<kRelu6>(pass, terms, pass.dy, dx, rows, channels);
    case kSilu:
      return gradient_body<kSilu>(pass, terms, pass.dy, dx, rows, channels);
    case kHardSwish:
      return gradient_body<kHardSwish>(
          pass, terms, pass.dy, dx, rows, channels);
    case kGelu:
      return;
  }
}

} // namespace

#define VITRAIN_KERNELS(T)                                              \
  VITRAIN_CLONES void statistics(                                       \
      const T* x, std::int64_t n, std::int64_t c, float* m, float* s) { \
    statistics_body(x, n, c, m, s);                                     \
  }                                                                     \
  VITRAIN_CLONES void normalize(                                        \
      const Forward<T>& pass, std::int64_t n, std::int64_t c) {         \
    normalize_any(pass, n, c);                                          \
  }                                                                     \
  VITRAIN_CLONES void sums(                                             \
      const Backward<T>& pass,                                          \
      std::int64_t n,                                                   \
      std::int64_t c,                                                   \
      float* sum,                                                       \
      float* dot) {                                                     \
    sums_any(pass, n, c, sum, dot);                                     \
  }                                                                     \
  VITRAIN_CLONES void gradient(                                         \
      const Backward<T>& pass,                                          \
      const Terms& terms,                                               \
      T* dx,                                                            \
      std::int64_t n,                                                   \
      std::int64_t c) {                                                 \
    gradient_any(pass, terms, dx, n, c);                                \
  }

VITRAIN_KERNELS(float)
VITRAIN_KERNELS(std::uint16_t)

} // namespace vitrain::networks::norm_kernels
