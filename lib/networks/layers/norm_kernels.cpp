#include "networks/layers/norm_kernels.h"

#include <bit>

// Loops over channels that the compiler makes vectors of, for each of these
// instruction sets; the loader chooses. The same kernel runs in forward and
// backward, so that both see the same sign of what goes into a ReLU.
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

// To the nearest, ties to even; NaN stays NaN.
VITRAIN_INLINE void store(float value, std::uint16_t* out) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  const std::uint32_t rounded = (bits + 0x7FFF + ((bits >> 16) & 1)) >> 16;
  *out = static_cast<std::uint16_t>(value == value ? rounded : 0x7FC0);
}

// As torch: NaN stays NaN.
VITRAIN_INLINE float positive(float value) {
  return value < 0.0F ? 0.0F : value;
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

template <bool kResidual, bool kRelu, typename T>
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
      store(kRelu ? positive(value) : value, &y[c]);
    }
  }
}

template <typename T>
VITRAIN_INLINE void normalize_any(
    const Forward<T>& pass,
    std::int64_t rows,
    std::int64_t channels) {
  if (pass.residual != nullptr) {
    pass.relu ? normalize_body<true, true>(pass, rows, channels)
              : normalize_body<true, false>(pass, rows, channels);
  } else {
    pass.relu ? normalize_body<false, true>(pass, rows, channels)
              : normalize_body<false, false>(pass, rows, channels);
  }
}

constexpr std::int64_t kBlock = 256; // channels whose values stay in L1

// How backward knows where the ReLU let through.
enum class Mask { kNone, kInput, kOutput };

template <Mask kMask, bool kSecond, bool kKeep, typename T>
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
    const T* __restrict y = kMask == Mask::kOutput ? pass.y + at : nullptr;
    T* __restrict g = kKeep ? pass.g + at : nullptr;
    // In several loops: of one that writes values of 2 and of 4 bytes, the
    // compiler makes no vectors.
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
        if constexpr (kMask == Mask::kInput) {
          value = wide(x[c]) * scale[c] + shift[c] <= 0.0F ? 0.0F : value;
        }
        if constexpr (kMask == Mask::kOutput) {
          value = wide(y[c]) <= 0.0F ? 0.0F : value;
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

template <Mask kMask, typename T>
VITRAIN_INLINE void sums_masked(
    const Backward<T>& pass,
    std::int64_t rows,
    std::int64_t channels,
    float* sum,
    float* dot) {
  if (pass.g == nullptr) {
    sums_body<kMask, false, false>(pass, rows, channels, sum, dot);
  } else if (pass.dy2 == nullptr) {
    sums_body<kMask, false, true>(pass, rows, channels, sum, dot);
  } else {
    sums_body<kMask, true, true>(pass, rows, channels, sum, dot);
  }
}

template <typename T>
VITRAIN_INLINE void sums_any(
    const Backward<T>& pass,
    std::int64_t rows,
    std::int64_t channels,
    float* sum,
    float* dot) {
  if (!pass.relu) {
    sums_masked<Mask::kNone>(pass, rows, channels, sum, dot);
  } else if (pass.y == nullptr) {
    sums_masked<Mask::kInput>(pass, rows, channels, sum, dot);
  } else {
    sums_masked<Mask::kOutput>(pass, rows, channels, sum, dot);
  }
}

template <bool kMasked, typename T>
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
      float value = wide(g[c]);
      if constexpr (kMasked) {
        value = input * scale[c] + shift[c] <= 0.0F ? 0.0F : value;
      }
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
  if (pass.g != nullptr) {
    gradient_body<false>(pass, terms, pass.g, dx, rows, channels);
  } else if (pass.relu) {
    gradient_body<true>(pass, terms, pass.dy, dx, rows, channels);
  } else {
    gradient_body<false>(pass, terms, pass.dy, dx, rows, channels);
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
