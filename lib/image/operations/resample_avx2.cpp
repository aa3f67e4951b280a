// Compiled for AVX2; used only with Simd::kAvx2.
#include <immintrin.h>

#include "image/operations/resample_kernels.h"
#include "image/operations/resample_weigh.h"

// A 22-bit weight is split into signed 16-bit halves, w = h * 2^16 + l.
// vpmaddwd sums two products of a pixel and such a half exactly, so two of them
// compute two taps of eight outputs.
namespace vitrain::image {
namespace {

// The halves of two weights: one word with both l, one with both h.
struct Pair {
  std::uint32_t low;
  std::uint32_t high;
};
static_assert(sizeof(Pair) == 8);

Pair pair_of(const std::int32_t* weights) {
  const auto bits = [](std::int32_t x) {
    return static_cast<std::uint32_t>(x);
  };
  const std::uint32_t a = bits(weights[0]);
  const std::uint32_t b = bits(weights[1]);
  return {
      (a & 0xFFFF) | b << 16, (a + 0x8000) >> 16 | ((b + 0x8000) & 0xFFFF0000)};
}

std::size_t words(const Taps& taps) {
  return static_cast<std::size_t>(taps.outputs) * taps.stride;
}

void prepare(const Taps& taps, std::uint32_t* prepared) {
  auto* pair = reinterpret_cast<Pair*>(prepared);
  const std::int32_t* end =
      taps.weights + static_cast<std::ptrdiff_t>(taps.outputs) * taps.stride;
  for (const std::int32_t* at = taps.weights; at < end; at += 2) {
    *pair++ = pair_of(at);
  }
}

const Pair* pairs_of(const Taps& taps, int i) {
  return reinterpret_cast<const Pair*>(taps.prepared) +
      static_cast<std::ptrdiff_t>(i) * (taps.stride / 2);
}

__m256i every(std::uint32_t word) {
  return _mm256_set1_epi32(static_cast<int>(word));
}

// Two sums of products, one per half of the weights, in eight lanes.
struct Sums {
  __m256i low = _mm256_set1_epi32(1 << (kWeightBits - 1));
  __m256i high = _mm256_setzero_si256();

  // `pixels`: two 16-bit numbers per lane.
  [[gnu::always_inline]] void add(__m256i pixels, __m256i l, __m256i h) {
    low = _mm256_add_epi32(low, _mm256_madd_epi16(pixels, l));
    high = _mm256_add_epi32(high, _mm256_madd_epi16(pixels, h));
  }
  // Returns the rounded sum, not yet clamped to a byte.
  [[gnu::always_inline]] __m256i total() const {
    return _mm256_srai_epi32(
        _mm256_add_epi32(_mm256_slli_epi32(high, 16), low), kWeightBits);
  }
};

// Columns: two rows at once, one in each half of a register.

// Two rows; load() returns 16 bytes of each, from which taps_of() extracts two
// taps of red, green and blue.
struct TwoRows {
  const std::uint8_t* upper;
  const std::uint8_t* lower;

  [[gnu::always_inline]] __m256i load(std::ptrdiff_t at) const {
    const auto half = [&](const std::uint8_t* row) {
      return _mm_loadu_si128(reinterpret_cast<const __m128i*>(row + at));
    };
    return _mm256_inserti128_si256(
        _mm256_castsi128_si256(half(upper)), half(lower), 1);
  }
};

// Returns pixels kTap and kTap + 1 as pairs of 16-bit numbers.
template <int kTap>
[[gnu::always_inline]] inline __m256i taps_of(__m256i bytes) {
  constexpr char kAt = 3 * kTap;
  return _mm256_shuffle_epi8(
      bytes,
      _mm256_broadcastsi128_si256(_mm_setr_epi8(
          kAt,
          -1,
          kAt + 3,
          -1,
          kAt + 1,
          -1,
          kAt + 4,
          -1,
          kAt + 2,
          -1,
          kAt + 5,
          -1,
          -1,
          -1,
          -1,
          -1)));
}

// Computes one output pixel: red, green, blue and a zero.
[[gnu::always_inline]] inline __m256i
pixel_of(const Taps& taps, int i, const TwoRows& rows) {
  const Pair* pair = pairs_of(taps, i);
  const int count = taps.counts[i];
  std::ptrdiff_t at = 3 * std::ptrdiff_t{taps.first[i]};
  Sums sums;
  int k = 0;
  for (; k + 2 < count; k += 4, pair += 2, at += 12) {
    const __m256i bytes = rows.load(at);
    sums.add(taps_of<0>(bytes), every(pair[0].low), every(pair[0].high));
    sums.add(taps_of<2>(bytes), every(pair[1].low), every(pair[1].high));
  }
  if (k < count) {
    sums.add(
        taps_of<0>(rows.load(at)), every(pair[0].low), every(pair[0].high));
  }
  return sums.total();
}

void two_rows(
    const Taps& taps,
    const TwoRows& rows,
    std::uint8_t* upper,
    std::uint8_t* lower) {
  const __m256i without_zeros = _mm256_broadcastsi128_si256(
      _mm_setr_epi8(0, 1, 2, 4, 5, 6, 8, 9, 10, 12, 13, 14, -1, -1, -1, -1));
  const int last = taps.outputs - 1;
  for (int i = 0; i < taps.outputs; i += 4) {
    const auto pixel = [&](int j) {
      return pixel_of(taps, i + j < last ? i + j : last, rows);
    };
    const __m256i four = _mm256_shuffle_epi8(
        _mm256_packus_epi16(
            _mm256_packs_epi32(pixel(0), pixel(1)),
            _mm256_packs_epi32(pixel(2), pixel(3))),
        without_zeros);
    const std::ptrdiff_t at = 3 * std::ptrdiff_t{i};
    _mm_storeu_si128(
        reinterpret_cast<__m128i*>(lower + at),
        _mm256_extracti128_si256(four, 1));
    _mm_storeu_si128(
        reinterpret_cast<__m128i*>(upper + at), _mm256_castsi256_si128(four));
  }
}

void columns(
    const Taps& taps,
    RowBlock<const std::uint8_t> from,
    int count,
    RowBlock<std::uint8_t> to) {
  for (int y = 0; y < count; y += 2) {
    // Computes a last single row twice, with the same result.
    const bool both = y + 1 < count;
    two_rows(
        taps,
        {from.pixels, from.pixels + (both ? from.stride : 0)},
        to.pixels,
        to.pixels + (both ? to.stride : 0));
    from.pixels += 2 * from.stride;
    to.pixels += 2 * to.stride;
  }
}

// Rows.

constexpr std::size_t kBlock = 32;

void block_of_row(
    const Pair* pair,
    int count,
    RowBlock<const std::uint8_t> from,
    std::uint8_t* to) {
  const auto load = [&](int tap) {
    return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(
        from.pixels + static_cast<std::size_t>(tap) * from.stride));
  };
  const __m256i zero = _mm256_setzero_si256();
  Sums sums[4];
  for (int k = 0; k < count; k += 2, ++pair) {
    const __m256i a = load(k);
    // After the last row the weight is zero, so any pixels can be used.
    const __m256i b = k + 1 < count ? load(k + 1) : a;
    const __m256i low = _mm256_unpacklo_epi8(a, b);
    const __m256i high = _mm256_unpackhi_epi8(a, b);
    const __m256i l = every(pair->low);
    const __m256i h = every(pair->high);
    sums[0].add(_mm256_unpacklo_epi8(low, zero), l, h);
    sums[1].add(_mm256_unpackhi_epi8(low, zero), l, h);
    sums[2].add(_mm256_unpacklo_epi8(high, zero), l, h);
    sums[3].add(_mm256_unpackhi_epi8(high, zero), l, h);
  }
  _mm256_storeu_si256(
      reinterpret_cast<__m256i*>(to),
      _mm256_packus_epi16(
          _mm256_packs_epi32(sums[0].total(), sums[1].total()),
          _mm256_packs_epi32(sums[2].total(), sums[3].total())));
}

void row(
    const Taps& taps,
    int i,
    RowBlock<const std::uint8_t> from,
    std::size_t bytes,
    std::uint8_t* to) {
  if (bytes < kBlock) {
    return kScalarKernels.row(taps, i, from, bytes, to);
  }
  from.pixels += static_cast<std::size_t>(taps.first[i]) * from.stride;
  const Pair* pairs = pairs_of(taps, i);
  const int count = taps.counts[i];
  for (std::size_t x = 0; x < bytes; x += kBlock) {
    // The last block may overlap the previous one.
    const std::size_t at = x + kBlock <= bytes ? x : bytes - kBlock;
    block_of_row(pairs, count, {from.pixels + at, from.stride}, to + at);
  }
}

} // namespace

const Kernels kAvx2Kernels = {
    .weigh = weigh,
    .words_for_columns = words,
    .prepare_columns = prepare,
    .columns = columns,
    .slack = 32,
    .words_for_rows = words,
    .prepare_rows = prepare,
    .row = row};

} // namespace vitrain::image
