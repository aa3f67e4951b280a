// Compiled for AVX-512 with VBMI and VNNI; used only with Simd::kAvx512.
#include <immintrin.h>

#include "image/operations/resample_kernels.h"
#include "image/operations/resample_weigh.h"

// A 22-bit weight is split into signed bytes, w = h * 2^16 + m * 2^8 + l.
// vpdpbusd sums four products of a pixel and such a byte exactly, so three of
// them compute four taps of sixteen outputs.
namespace vitrain::image {
namespace {

constexpr std::ptrdiff_t kTapsPerStep = 4;
constexpr std::ptrdiff_t kDigits = 3;
constexpr std::ptrdiff_t kWordsPerLine = 16;
// Output pixels per group: five pixels of three channels fit the sixteen lanes.
constexpr int kPixelsPerGroup = 5;

// Returns the digits of four weights: a word with the l, a word with the m, a
// word with the h, and an unused word.
__m128i digits_of(const std::int32_t* weights) {
  const __m128i bias = _mm_set1_epi32(0x808080);
  const __m128i w = _mm_loadu_si128(reinterpret_cast<const __m128i*>(weights));
  // Adds 128 to each byte with carries, then subtracts it without carries.
  const __m128i bytes = _mm_xor_si128(_mm_add_epi32(w, bias), bias);
  return _mm_shuffle_epi8(
      bytes,
      _mm_setr_epi8(0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15));
}

// Three sums of products, one per digit of the weights, in sixteen lanes.
struct Sums {
  __m512i low = _mm512_set1_epi32(1 << (kWeightBits - 1));
  __m512i middle = _mm512_setzero_si512();
  __m512i high = _mm512_setzero_si512();

  [[gnu::always_inline]] void
  add(__m512i pixels, __m512i l, __m512i m, __m512i h) {
    low = _mm512_dpbusd_epi32(low, pixels, l);
    middle = _mm512_dpbusd_epi32(middle, pixels, m);
    high = _mm512_dpbusd_epi32(high, pixels, h);
  }
  // Returns the rounded sum, not yet clamped to a byte.
  [[gnu::always_inline]] __m512i total() const {
    const __m512i upper = _mm512_add_epi32(_mm512_slli_epi32(high, 8), middle);
    return _mm512_srai_epi32(
        _mm512_add_epi32(_mm512_slli_epi32(upper, 8), low), kWeightBits);
  }
};

// Columns.

// Adjacent outputs for which the next four source pixels are within 64 bytes.
struct Group {
  std::int32_t base; // byte offset of the load in the row
  std::int32_t output; // first output of the group
  std::int32_t outputs;
  std::int32_t steps;
};
static_assert(sizeof(Group) == 16);

Group group_at(const Taps& taps, int output) {
  // The load must contain the bytes up to 3 * distance + 11.
  constexpr int kReach = (64 - 12) / 3;
  int low = taps.first[output];
  int high = low;
  int most = taps.counts[output];
  int outputs = 1;
  for (; outputs < kPixelsPerGroup && output + outputs < taps.outputs;
       ++outputs) {
    const int first = taps.first[output + outputs];
    const int count = taps.counts[output + outputs];
    const int new_low = first < low ? first : low;
    const int new_high = first > high ? first : high;
    if (new_high - new_low > kReach) {
      break;
    }
    low = new_low;
    high = new_high;
    most = count > most ? count : most;
  }
  constexpr int kTaps = kTapsPerStep;
  return {3 * low, output, outputs, (most + kTaps - 1) / kTaps};
}

// Layout of prepared words: number of groups; the groups; for each group a line
// with the order of source bytes, and per step three lines of digits.
std::size_t lines_before(std::size_t groups) {
  return (4 + groups * 4 + kWordsPerLine - 1) / kWordsPerLine;
}

std::size_t words_for_columns(const Taps& taps) {
  std::size_t groups = 0;
  std::size_t lines = 0;
  for (int output = 0; output < taps.outputs; ++groups) {
    const Group group = group_at(taps, output);
    lines += 1 + kDigits * static_cast<std::size_t>(group.steps);
    output += group.outputs;
  }
  return (lines_before(groups) + lines) * kWordsPerLine;
}

void write_lines(const Taps& taps, const Group& group, std::uint32_t* line) {
  const __m512i pixel_of_lane =
      _mm512_setr_epi32(0, 0, 0, 1, 1, 1, 2, 2, 2, 3, 3, 3, 4, 4, 4, 15);
  alignas(64) std::uint32_t words[kDigits][kWordsPerLine] = {};
  for (int j = 0; j < group.outputs; ++j) {
    words[0][j] = static_cast<std::uint32_t>(
        3 * taps.first[group.output + j] - group.base);
  }
  const __m512i channels =
      _mm512_setr_epi32(0, 1, 2, 0, 1, 2, 0, 1, 2, 0, 1, 2, 0, 1, 2, 0);
  const __m512i at = _mm512_add_epi32(
      _mm512_permutexvar_epi32(pixel_of_lane, _mm512_load_si512(words[0])),
      channels);
  _mm512_store_si512(
      line,
      _mm512_add_epi32(
          _mm512_mullo_epi32(at, _mm512_set1_epi32(0x01010101)),
          _mm512_set1_epi32(0x09060300)));
  line += kWordsPerLine;
  for (int step = 0; step < group.steps; ++step) {
    for (int j = 0; j < group.outputs; ++j) {
      const __m128i digits = digits_of(
          taps.weights +
          static_cast<std::ptrdiff_t>(group.output + j) * taps.stride +
          step * kTapsPerStep);
      words[0][j] = static_cast<std::uint32_t>(_mm_extract_epi32(digits, 0));
      words[1][j] = static_cast<std::uint32_t>(_mm_extract_epi32(digits, 1));
      words[2][j] = static_cast<std::uint32_t>(_mm_extract_epi32(digits, 2));
    }
    for (const auto& digit : words) {
      _mm512_store_si512(
          line,
          _mm512_permutexvar_epi32(pixel_of_lane, _mm512_load_si512(digit)));
      line += kWordsPerLine;
    }
  }
}

void prepare_columns(const Taps& taps, std::uint32_t* prepared) {
  auto* groups = reinterpret_cast<Group*>(prepared + 4);
  std::uint32_t count = 0;
  for (int output = 0; output < taps.outputs; ++count) {
    groups[count] = group_at(taps, output);
    output += groups[count].outputs;
  }
  prepared[0] = count;
  std::uint32_t* line = prepared + lines_before(count) * kWordsPerLine;
  for (std::uint32_t i = 0; i < count; ++i) {
    write_lines(taps, groups[i], line);
    line += (1 + kDigits * groups[i].steps) * kWordsPerLine;
  }
}

template <int kRows>
void columns_of(
    const Taps& taps,
    RowBlock<const std::uint8_t> from,
    RowBlock<std::uint8_t> to) {
  const std::uint32_t count = taps.prepared[0];
  const auto* group = reinterpret_cast<const Group*>(taps.prepared + 4);
  const std::uint32_t* line =
      taps.prepared + lines_before(count) * kWordsPerLine;
  for (std::uint32_t i = 0; i < count; ++i, ++group) {
    const __m512i bytes = _mm512_load_si512(line);
    line += kWordsPerLine;
    const std::uint8_t* pixels = from.pixels + group->base;
    Sums sums[kRows];
    for (int step = 0; step < group->steps; ++step) {
      const __m512i l = _mm512_load_si512(line);
      const __m512i m = _mm512_load_si512(line + kWordsPerLine);
      const __m512i h = _mm512_load_si512(line + 2 * kWordsPerLine);
      line += kDigits * kWordsPerLine;
#pragma GCC unroll 4
      for (int row = 0; row < kRows; ++row) {
        const __m512i loaded = _mm512_loadu_si512(
            pixels + static_cast<std::size_t>(row) * from.stride);
        sums[row].add(_mm512_permutexvar_epi8(bytes, loaded), l, m, h);
      }
      pixels += 3 * kTapsPerStep;
    }
    std::uint8_t* out = to.pixels + 3 * std::ptrdiff_t{group->output};
#pragma GCC unroll 4
    for (int row = 0; row < kRows; ++row) {
      const __m512i total =
          _mm512_max_epi32(sums[row].total(), _mm512_setzero_si512());
      _mm_storeu_si128(
          reinterpret_cast<__m128i*>(
              out + static_cast<std::size_t>(row) * to.stride),
          _mm512_cvtusepi32_epi8(total));
    }
  }
}

void columns(
    const Taps& taps,
    RowBlock<const std::uint8_t> from,
    int count,
    RowBlock<std::uint8_t> to) {
  for (; count >= 4; count -= 4) {
    columns_of<4>(taps, from, to);
    from.pixels += 4 * from.stride;
    to.pixels += 4 * to.stride;
  }
  for (; count > 0; --count) {
    columns_of<1>(taps, from, to);
    from.pixels += from.stride;
    to.pixels += to.stride;
  }
}

// Rows.

std::size_t words_for_rows(const Taps& taps) {
  // One extra word, because digits_of() stores four.
  return static_cast<std::size_t>(taps.outputs) * taps.stride / kTapsPerStep *
      kDigits +
      1;
}

void prepare_rows(const Taps& taps, std::uint32_t* prepared) {
  const std::ptrdiff_t steps = taps.outputs * (taps.stride / kTapsPerStep);
  for (std::ptrdiff_t step = 0; step < steps; ++step) {
    _mm_storeu_si128(
        reinterpret_cast<__m128i*>(prepared + step * kDigits),
        digits_of(taps.weights + step * kTapsPerStep));
  }
}

// Transposes 64 bytes of four rows to four vectors of sixteen lanes with four
// bytes each, one byte per row.
struct Quads {
  __m512i lanes[4];

  [[gnu::always_inline]] Quads(__m512i a, __m512i b, __m512i c, __m512i d) {
    const __m512i ab_low = _mm512_unpacklo_epi8(a, b);
    const __m512i ab_high = _mm512_unpackhi_epi8(a, b);
    const __m512i cd_low = _mm512_unpacklo_epi8(c, d);
    const __m512i cd_high = _mm512_unpackhi_epi8(c, d);
    lanes[0] = _mm512_unpacklo_epi16(ab_low, cd_low);
    lanes[1] = _mm512_unpackhi_epi16(ab_low, cd_low);
    lanes[2] = _mm512_unpacklo_epi16(ab_high, cd_high);
    lanes[3] = _mm512_unpackhi_epi16(ab_high, cd_high);
  }
};

void row(
    const Taps& taps,
    int i,
    RowBlock<const std::uint8_t> from,
    std::size_t bytes,
    std::uint8_t* to) {
  const int count = taps.counts[i];
  const std::uint32_t* digits = taps.prepared +
      static_cast<std::ptrdiff_t>(i) * (taps.stride / kTapsPerStep) * kDigits;
  const std::uint8_t* top =
      from.pixels + static_cast<std::size_t>(taps.first[i]) * from.stride;
  for (std::size_t x = 0; x < bytes; x += 64) {
    const __mmask64 mask =
        bytes - x >= 64 ? ~__mmask64{0} : ~__mmask64{0} >> (64 - (bytes - x));
    Sums sums[4];
    const std::uint32_t* digit = digits;
    for (int k = 0; k < count; k += kTapsPerStep, digit += kDigits) {
      // After the last row the weights are zero, so any pixels can be used.
      const auto load = [&](int tap) {
        const int at = k + tap < count ? k + tap : count - 1;
        return _mm512_maskz_loadu_epi8(
            mask, top + static_cast<std::size_t>(at) * from.stride + x);
      };
      const Quads quads(load(0), load(1), load(2), load(3));
      const __m512i l = _mm512_set1_epi32(static_cast<int>(digit[0]));
      const __m512i m = _mm512_set1_epi32(static_cast<int>(digit[1]));
      const __m512i h = _mm512_set1_epi32(static_cast<int>(digit[2]));
#pragma GCC unroll 4
      for (int lane = 0; lane < 4; ++lane) {
        sums[lane].add(quads.lanes[lane], l, m, h);
      }
    }
    const __m512i low = _mm512_packs_epi32(sums[0].total(), sums[1].total());
    const __m512i high = _mm512_packs_epi32(sums[2].total(), sums[3].total());
    _mm512_mask_storeu_epi8(to + x, mask, _mm512_packus_epi16(low, high));
  }
}

} // namespace

const Kernels kAvx512Kernels = {
    .weigh = weigh,
    .words_for_columns = words_for_columns,
    .prepare_columns = prepare_columns,
    .columns = columns,
    .slack = 64,
    .words_for_rows = words_for_rows,
    .prepare_rows = prepare_rows,
    .row = row};

} // namespace vitrain::image
