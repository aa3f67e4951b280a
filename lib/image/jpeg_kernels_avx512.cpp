#include <immintrin.h>

#include "image/jpeg_kernels.h"
#include "image/jpeg_layout.h"

namespace vitrain::image::detail {
namespace {

struct Lanes {
  using V = __m512i;
  static constexpr int kLanes = 32;

  static V zero() { return _mm512_setzero_si512(); }
  static V all16(short x) { return _mm512_set1_epi16(x); }
  static V all32(int x) { return _mm512_set1_epi32(x); }
  static V pair16(int x, int y) {
    return _mm512_set1_epi32((x & 0xFFFF) | y << 16);
  }
  static V load(const std::int16_t* from) { return _mm512_loadu_si512(from); }
  static V load_bytes(const std::uint8_t* from) {
    return _mm512_cvtepu8_epi16(
        _mm256_loadu_si256(reinterpret_cast<const __m256i*>(from)));
  }
  // Eight values for every block.
  static V repeat8(const std::int16_t* from) {
    return _mm512_broadcast_i32x4(
        _mm_loadu_si128(reinterpret_cast<const __m128i*>(from)));
  }
  static V add16(V a, V b) { return _mm512_add_epi16(a, b); }
  static V sub16(V a, V b) { return _mm512_sub_epi16(a, b); }
  static V add32(V a, V b) { return _mm512_add_epi32(a, b); }
  static V sub32(V a, V b) { return _mm512_sub_epi32(a, b); }
  static V or_bits(V a, V b) { return _mm512_or_si512(a, b); }
  static V multiply16(V a, V b) { return _mm512_mullo_epi16(a, b); }
  static V multiply_high16(V a, V b) { return _mm512_mulhi_epi16(a, b); }
  static V madd16(V a, V b) { return _mm512_madd_epi16(a, b); }
  static V unpack_low16(V a, V b) { return _mm512_unpacklo_epi16(a, b); }
  static V unpack_high16(V a, V b) { return _mm512_unpackhi_epi16(a, b); }
  static V pack32(V a, V b) { return _mm512_packs_epi32(a, b); }
  template <int n>
  static V shift_right32(V a) {
    return _mm512_srai_epi32(a, n);
  }
  template <int n>
  static V shift_right16(V a) {
    return _mm512_srli_epi16(a, n);
  }
  template <int n>
  static V shift_right_signed16(V a) {
    return _mm512_srai_epi16(a, n);
  }
  template <int n>
  static V shift_left16(V a) {
    return _mm512_slli_epi16(a, n);
  }
  static void store(V a, std::uint8_t* to) { _mm512_storeu_si512(to, a); }
  // Bytes of values around zero.
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

#include "image/jpeg_entropy.inc"
#include "image/jpeg_kernels.inc"

} // namespace

const JpegKernels kJpegKernelsAvx512 = {
    run_mcus<true>,
    run_mcus<false>,
    inverse_dct,
    upsample_h2v1,
    blend_rows,
    upsample_h2v2,
    upsample_h1v2,
    to_rgb};

} // namespace vitrain::image::detail
