#include <immintrin.h>

#include "image/jpeg/jpeg_kernels.h"

namespace vitrain::image::detail {
namespace {

using V = __m512i;
#define VITRAIN_MM(name) _mm512_##name
#define VITRAIN_MM_SI(name) _mm512_##name##_si512
#include "image/jpeg/jpeg_lanes.inc"

struct Lanes : CommonLanes {
  static constexpr int kLanes = 32;

  static V load_bytes(const std::uint8_t* from) {
    return _mm512_cvtepu8_epi16(
        _mm256_loadu_si256(reinterpret_cast<const __m256i*>(from)));
  }
  // Repeats eight values for every block.
  static V repeat8(const std::int16_t* from) {
    return _mm512_broadcast_i32x4(
        _mm_loadu_si128(reinterpret_cast<const __m128i*>(from)));
  }
  // Stores values centred at zero as bytes centred at 128, with saturation.
  static void store_centred(V a, std::uint8_t* to) {
    const __m256i bytes = _mm512_cvtsepi16_epi8(a);
    _mm256_storeu_si256(
        reinterpret_cast<__m256i*>(to),
        _mm256_xor_si256(bytes, _mm256_set1_epi8(-128)));
  }
  static __m256i to_bytes(V a) {
    return _mm512_cvtusepi16_epi8(_mm512_max_epi16(a, zero()));
  }
  static void store_rgb(V r, V g, V b, std::uint8_t* to) {
    const __m512i rg =
        _mm512_inserti64x4(_mm512_castsi256_si512(to_bytes(r)), to_bytes(g), 1);
    const __m512i blue = _mm512_castsi256_si512(to_bytes(b));
    // Byte i of the output is colour i % 3 of pixel i / 3; index 64 and up
    // selects from `blue`.
    alignas(64) static constexpr auto kOrder = [] {
      struct Order {
        std::uint8_t index[128];
      } order{};
      constexpr int kStart[] = {0, 32, 64};
      for (int i = 0; i < 96; ++i) {
        order.index[i] = static_cast<std::uint8_t>(kStart[i % 3] + i / 3);
      }
      return order;
    }();
    const __m512i first =
        _mm512_permutex2var_epi8(rg, _mm512_load_si512(kOrder.index), blue);
    const __m512i second = _mm512_permutex2var_epi8(
        rg, _mm512_load_si512(kOrder.index + 64), blue);
    _mm512_storeu_si512(to, first);
    _mm256_storeu_si256(
        reinterpret_cast<__m256i*>(to + 64), _mm512_castsi512_si256(second));
  }
};

#include "image/jpeg/jpeg_entropy.inc"
#include "image/jpeg/jpeg_kernels.inc"

// Permutation of a block's coefficients from zigzag order to row order.
struct NaturalOrder {
  alignas(64) std::uint8_t index[64];
};
constexpr NaturalOrder kNaturalOrder = [] {
  NaturalOrder order{};
  for (int i = 0; i < 64; ++i) {
    order.index[kZigzag[i]] = static_cast<std::uint8_t>(i);
  }
  return order;
}();

// Adds the values of a block that need sixteen bits; few blocks have any.
void add_words(
    PackedReader& reader,
    std::uint64_t mask,
    __mmask64 wide, // which of the nonzero values are wide
    std::int16_t* block,
    int& first) {
  for (; wide != 0; wide &= wide - 1) {
    // Position of the value's bit in `mask`.
    const int at = __builtin_ctzll(_pdep_u64(wide & -wide, mask));
    std::int16_t word = 0;
    if (reader.words < reader.end) {
      __builtin_memcpy(&word, reader.words, sizeof(word));
    }
    reader.words += sizeof(word);
    if (at == 0) {
      first = word;
    } else if (block != nullptr) {
      block[kZigzagOffsets.at[at]] = word;
    }
  }
}

// Writes 64 coefficients in row order into a group.
void store_block(__m512i natural, std::int16_t* block) {
  const __m512i low = _mm512_cvtepi8_epi16(_mm512_castsi512_si256(natural));
  const __m512i high =
      _mm512_cvtepi8_epi16(_mm512_extracti64x4_epi64(natural, 1));
  const auto store = [&](int row, __m128i values) {
    _mm_storeu_si128(
        reinterpret_cast<__m128i*>(
            block + static_cast<std::ptrdiff_t>(row) * kRowOfGroup),
        values);
  };
  store(0, _mm512_castsi512_si128(low));
  store(1, _mm512_extracti32x4_epi32(low, 1));
  store(2, _mm512_extracti32x4_epi32(low, 2));
  store(3, _mm512_extracti32x4_epi32(low, 3));
  store(4, _mm512_castsi512_si128(high));
  store(5, _mm512_extracti32x4_epi32(high, 1));
  store(6, _mm512_extracti32x4_epi32(high, 2));
  store(7, _mm512_extracti32x4_epi32(high, 3));
}

bool read_packed(PackedReader& shared, int count, std::int16_t* groups) {
  PackedReader reader = shared; // copy in registers
  const __m512i order = _mm512_load_si512(kNaturalOrder.index);
  for (int i = 0; i < count; ++i) {
    if (!reader.inside()) {
      return false;
    }
    const int head =
        reader.heads[reader.block / 2] >> reader.block % 2 * 4 & 15;
    ++reader.block;
    std::uint64_t mask;
    __builtin_memcpy(&mask, reader.masks, sizeof(mask));
    mask = _bzhi_u64(mask, static_cast<unsigned>(8 * head));
    reader.masks += head;
    const auto values = static_cast<unsigned>(__builtin_popcountll(mask));
    // Expands nibbles to bytes in order, with sign extension.
    const __m512i pairs = _mm512_cvtepu8_epi16(
        _mm256_loadu_si256(reinterpret_cast<const __m256i*>(reader.nibbles)));
    const __m512i nibbles = _mm512_and_si512(
        _mm512_or_si512(pairs, _mm512_slli_epi16(pairs, 4)),
        _mm512_set1_epi8(15));
    const __m512i eight = _mm512_set1_epi8(8);
    __m512i packed = _mm512_sub_epi8(_mm512_xor_si512(nibbles, eight), eight);
    reader.nibbles += (values + 1) / 2;
    // A nibble of -8 refers to the next byte.
    const __mmask64 there = _bzhi_u64(~std::uint64_t{0}, values);
    const __mmask64 longer =
        _mm512_mask_cmpeq_epi8_mask(there, packed, _mm512_set1_epi8(-8));
    packed = _mm512_mask_expand_epi8(
        packed, longer, _mm512_loadu_si512(reader.bytes));
    reader.bytes += __builtin_popcountll(longer);
    const __mmask64 wide =
        _mm512_mask_cmpeq_epi8_mask(longer, packed, _mm512_set1_epi8(-128));
    const __m512i zigzag = _mm512_maskz_expand_epi8(mask, packed);
    int first = _mm_cvtsi128_si32(_mm512_castsi512_si128(zigzag)) << 24 >> 24;
    std::int16_t* block = nullptr;
    if (groups != nullptr) {
      block = groups + block_offset(i);
      store_block(_mm512_permutexvar_epi8(order, zigzag), block);
    }
    if (wide != 0) [[unlikely]] {
      add_words(reader, mask, wide, block, first);
    }
    reader.prediction += first;
    if (block != nullptr) {
      *block = static_cast<std::int16_t>(reader.prediction);
    }
  }
  shared = reader;
  return reader.inside();
}

} // namespace

const JpegKernels kJpegKernelsAvx512 = kKernels;

} // namespace vitrain::image::detail
