#include <immintrin.h>

#include "image/jpeg/jpeg_kernels.h"

namespace vitrain::image::detail {
namespace {

using V = __m256i;
#define VITRAIN_MM(name) _mm256_##name
#define VITRAIN_MM_SI(name) _mm256_##name##_si256
#include "image/jpeg/jpeg_lanes.inc"

struct Lanes : CommonLanes {
  static constexpr int kLanes = 16;

  static V load_bytes(const std::uint8_t* from) {
    return _mm256_cvtepu8_epi16(
        _mm_loadu_si128(reinterpret_cast<const __m128i*>(from)));
  }
  // Repeats eight values for every block.
  static V repeat8(const std::int16_t* from) {
    return _mm256_broadcastsi128_si256(
        _mm_loadu_si128(reinterpret_cast<const __m128i*>(from)));
  }
  // Returns the low halves of both 128-bit lanes.
  static __m128i low_halves(V packed) {
    return _mm256_castsi256_si128(_mm256_permute4x64_epi64(packed, 0x08));
  }
  // Stores values centred at zero as bytes centred at 128, with saturation.
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

const JpegKernels kJpegKernelsAvx2 = kKernels;

} // namespace vitrain::image::detail
