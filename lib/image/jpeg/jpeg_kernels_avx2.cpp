#include <immintrin.h>

#include "image/jpeg/jpeg_kernels.h"
#include "image/jpeg/jpeg_layout.h"

namespace vitrain::image::detail {
namespace {

struct Lanes {
  using V = __m256i;
  static constexpr int kLanes = 16;

  static V zero() { return _mm256_setzero_si256(); }
  static V all16(short x) { return _mm256_set1_epi16(x); }
  static V all32(int x) { return _mm256_set1_epi32(x); }
  static V pair16(int x, int y) {
    return _mm256_set1_epi32((x & 0xFFFF) | y << 16);
  }
  static V load(const std::int16_t* from) {
    return _mm256_loadu_si256(reinterpret_cast<const V*>(from));
  }
  static V load_bytes(const std::uint8_t* from) {
    return _mm256_cvtepu8_epi16(
        _mm_loadu_si128(reinterpret_cast<const __m128i*>(from)));
  }
  // Eight values for every block.
  static V repeat8(const std::int16_t* from) {
    return _mm256_broadcastsi128_si256(
        _mm_loadu_si128(reinterpret_cast<const __m128i*>(from)));
  }
  static V add16(V a, V b) { return _mm256_add_epi16(a, b); }
  static V sub16(V a, V b) { return _mm256_sub_epi16(a, b); }
  static V add32(V a, V b) { return _mm256_add_epi32(a, b); }
  static V sub32(V a, V b) { return _mm256_sub_epi32(a, b); }
  static V or_bits(V a, V b) { return _mm256_or_si256(a, b); }
  static V multiply16(V a, V b) { return _mm256_mullo_epi16(a, b); }
  static V multiply_high16(V a, V b) { return _mm256_mulhi_epi16(a, b); }
  static V madd16(V a, V b) { return _mm256_madd_epi16(a, b); }
  static V unpack_low16(V a, V b) { return _mm256_unpacklo_epi16(a, b); }
  static V unpack_high16(V a, V b) { return _mm256_unpackhi_epi16(a, b); }
  static V pack32(V a, V b) { return _mm256_packs_epi32(a, b); }
  template <int n>
  static V shift_right32(V a) {
    return _mm256_srai_epi32(a, n);
  }
  template <int n>
  static V shift_right16(V a) {
    return _mm256_srli_epi16(a, n);
  }
  template <int n>
  static V shift_right_signed16(V a) {
    return _mm256_srai_epi16(a, n);
  }
  template <int n>
  static V shift_left16(V a) {
    return _mm256_slli_epi16(a, n);
  }
  static void store(V a, std::uint8_t* to) {
    _mm256_storeu_si256(reinterpret_cast<V*>(to), a);
  }
  // The low halves of both 128-bit lanes, side by side.
  static __m128i low_halves(V packed) {
    return _mm256_castsi256_si128(_mm256_permute4x64_epi64(packed, 0x08));
  }
  // Bytes of values around zero.
  static void store_centred(V a, std::uint8_t* to) {
    const __m128i bytes = low_halves(_mm256_packs_epi16(a, a));
    _mm_storeu_si128(
        reinterpret_cast<__m128i*>(to),
        _mm_xor_si128(bytes, _mm_set1_epi8(-128)));
  }
  static void store_rgb(V r, V g, V b, std::uint8_t* to) {
    // Byte i of the output is colour i % 3 of pixel i / 3; -1 gives zero.
    struct Order {
      alignas(16) std::int8_t index[3][3][16]; // [store, colour, byte]
    };
    static constexpr Order kOrder = [] {
      Order order{};
      for (int i = 0; i < 48; ++i) {
        for (int colour = 0; colour < 3; ++colour) {
          order.index[i / 16][colour][i % 16] =
              static_cast<std::int8_t>(i % 3 == colour ? i / 3 : -1);
        }
      }
      return order;
    }();
    const __m128i colours[3] = {
        low_halves(_mm256_packus_epi16(r, r)),
        low_halves(_mm256_packus_epi16(g, g)),
        low_halves(_mm256_packus_epi16(b, b))};
    for (int part = 0; part < 3; ++part) {
      __m128i bytes = _mm_setzero_si128();
      for (int colour = 0; colour < 3; ++colour) {
        bytes = _mm_or_si128(
            bytes,
            _mm_shuffle_epi8(
                colours[colour],
                _mm_load_si128(reinterpret_cast<const __m128i*>(
                    kOrder.index[part][colour]))));
      }
      _mm_storeu_si128(reinterpret_cast<__m128i*>(to) + part, bytes);
    }
  }
};

#include "image/jpeg/jpeg_entropy.inc"
#include "image/jpeg/jpeg_kernels.inc"
#include "image/jpeg/packed_blocks.inc"

} // namespace

const JpegKernels kJpegKernelsAvx2 = {
    run_mcus<true>,
    run_mcus<false>,
    read_packed,
    inverse_dct,
    upsample_h2v1,
    blend_rows,
    upsample_h2v2,
    upsample_h1v2,
    to_rgb};

} // namespace vitrain::image::detail
