#include <emmintrin.h>

#include "image/jpeg/jpeg_kernels.h"
#include "image/jpeg/jpeg_layout.h"

namespace vitrain::image::detail {
namespace {

struct Lanes {
  using V = __m128i;
  static constexpr int kLanes = 8;

  static V zero() { return _mm_setzero_si128(); }
  static V all16(short x) { return _mm_set1_epi16(x); }
  static V all32(int x) { return _mm_set1_epi32(x); }
  static V pair16(int x, int y) {
    return _mm_set1_epi32((x & 0xFFFF) | y << 16);
  }
  static V load(const std::int16_t* from) {
    return _mm_loadu_si128(reinterpret_cast<const V*>(from));
  }
  static V load_bytes(const std::uint8_t* from) {
    return _mm_unpacklo_epi8(
        _mm_loadl_epi64(reinterpret_cast<const V*>(from)), zero());
  }
  // Eight values for every block.
  static V repeat8(const std::int16_t* from) { return load(from); }
  static V add16(V a, V b) { return _mm_add_epi16(a, b); }
  static V sub16(V a, V b) { return _mm_sub_epi16(a, b); }
  static V add32(V a, V b) { return _mm_add_epi32(a, b); }
  static V sub32(V a, V b) { return _mm_sub_epi32(a, b); }
  static V or_bits(V a, V b) { return _mm_or_si128(a, b); }
  static V multiply16(V a, V b) { return _mm_mullo_epi16(a, b); }
  static V multiply_high16(V a, V b) { return _mm_mulhi_epi16(a, b); }
  static V madd16(V a, V b) { return _mm_madd_epi16(a, b); }
  static V unpack_low16(V a, V b) { return _mm_unpacklo_epi16(a, b); }
  static V unpack_high16(V a, V b) { return _mm_unpackhi_epi16(a, b); }
  static V pack32(V a, V b) { return _mm_packs_epi32(a, b); }
  template <int n>
  static V shift_right32(V a) {
    return _mm_srai_epi32(a, n);
  }
  template <int n>
  static V shift_right16(V a) {
    return _mm_srli_epi16(a, n);
  }
  template <int n>
  static V shift_right_signed16(V a) {
    return _mm_srai_epi16(a, n);
  }
  template <int n>
  static V shift_left16(V a) {
    return _mm_slli_epi16(a, n);
  }
  static void store(V a, std::uint8_t* to) {
    _mm_storeu_si128(reinterpret_cast<V*>(to), a);
  }
  // Bytes of values around zero.
  static void store_centred(V a, std::uint8_t* to) {
    _mm_storel_epi64(
        reinterpret_cast<V*>(to),
        _mm_xor_si128(_mm_packs_epi16(a, a), _mm_set1_epi8(-128)));
  }
  static void store_rgb(V r, V g, V b, std::uint8_t* to) {
    alignas(16) std::uint8_t rg[16];
    alignas(16) std::uint8_t blue[16];
    _mm_store_si128(reinterpret_cast<V*>(rg), _mm_packus_epi16(r, g));
    _mm_store_si128(reinterpret_cast<V*>(blue), _mm_packus_epi16(b, b));
    for (int i = 0; i < kLanes; ++i, to += 3) {
      to[0] = rg[i];
      to[1] = rg[i + kLanes];
      to[2] = blue[i];
    }
  }
};

#include "image/jpeg/jpeg_entropy.inc"
#include "image/jpeg/jpeg_kernels.inc"
#include "image/jpeg/packed_blocks.inc"

} // namespace

const JpegKernels kJpegKernelsScalar = {
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
