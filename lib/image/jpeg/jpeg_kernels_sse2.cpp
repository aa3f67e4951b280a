#include <emmintrin.h>

#include "image/jpeg/jpeg_kernels.h"

namespace vitrain::image::detail {
namespace {

using V = __m128i;
#define VITRAIN_MM(name) _mm_##name
#define VITRAIN_MM_SI(name) _mm_##name##_si128
#include "image/jpeg/jpeg_lanes.inc"

struct Lanes : CommonLanes {
  static constexpr int kLanes = 8;

  static V load_bytes(const std::uint8_t* from) {
    return _mm_unpacklo_epi8(
        _mm_loadl_epi64(reinterpret_cast<const V*>(from)), zero());
  }
  // Repeats eight values for every block.
  static V repeat8(const std::int16_t* from) { return load(from); }
  // Stores values centred at zero as bytes centred at 128, with saturation.
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

const JpegKernels kJpegKernelsScalar = kKernels;

} // namespace vitrain::image::detail
