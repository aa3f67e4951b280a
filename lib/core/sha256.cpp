#include "core/sha256.h"

#ifdef __x86_64__
#include <cpuid.h>
#include <immintrin.h>
#endif

#include <algorithm>
#include <bit>
#include <cstring>

#include <fmt/format.h>

namespace vitrain {
namespace {

using State = std::array<std::uint32_t, 8>;

// Round constants (FIPS 180-4, section 4.2.2).
alignas(16) constexpr std::array<std::uint32_t, 64> kRounds{
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1,
    0x923f82a4, 0xab1c5ed5, 0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3,
    0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174, 0xe49b69c1, 0xefbe4786,
    0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147,
    0x06ca6351, 0x14292967, 0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13,
    0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85, 0xa2bfe8a1, 0xa81a664b,
    0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a,
    0x5b9cca4f, 0x682e6ff3, 0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208,
    0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

// Updates the state by `count` blocks (section 6.2.2).
void hash_plainly(State& state, const std::uint8_t* bytes, std::size_t count) {
  for (; count > 0; --count, bytes += 64) {
    std::array<std::uint32_t, 64> w;
    for (std::size_t t = 0; t < 16; ++t) {
      std::uint32_t word = 0;
      std::memcpy(&word, bytes + 4 * t, 4);
      w[t] = __builtin_bswap32(word);
    }
    for (std::size_t t = 16; t < 64; ++t) {
      const std::uint32_t a = w[t - 15];
      const std::uint32_t b = w[t - 2];
      w[t] = (std::rotr(b, 17) ^ std::rotr(b, 19) ^ (b >> 10)) + w[t - 7] +
          (std::rotr(a, 7) ^ std::rotr(a, 18) ^ (a >> 3)) + w[t - 16];
    }
    State s = state;
    for (std::size_t t = 0; t < 64; ++t) {
      const std::uint32_t e = s[4];
      const std::uint32_t a = s[0];
      const std::uint32_t first = s[7] +
          (std::rotr(e, 6) ^ std::rotr(e, 11) ^ std::rotr(e, 25)) +
          ((e & s[5]) ^ (~e & s[6])) + kRounds[t] + w[t];
      const std::uint32_t second =
          (std::rotr(a, 2) ^ std::rotr(a, 13) ^ std::rotr(a, 22)) +
          ((a & s[1]) ^ (a & s[2]) ^ (s[1] & s[2]));
      std::shift_right(s.begin(), s.end(), 1);
      s[4] += first;
      s[0] = first + second;
    }
    for (std::size_t i = 0; i < s.size(); ++i) {
      state[i] += s[i];
    }
  }
}

#ifdef __x86_64__
// Same as hash_plainly(), with SHA-NI, whose registers hold (a, b, e, f) and
// (c, d, g, h).
__attribute__((target("sha,sse4.1,ssse3"))) void
hash_fast(State& state, const std::uint8_t* bytes, std::size_t count) {
  const __m128i swap = _mm_set_epi64x(0x0c0d0e0f08090a0b, 0x0405060700010203);
  auto* const stored = reinterpret_cast<__m128i*>(state.data());
  const __m128i cdab = _mm_shuffle_epi32(_mm_loadu_si128(stored), 0xB1);
  const __m128i efgh = _mm_shuffle_epi32(_mm_loadu_si128(stored + 1), 0x1B);
  __m128i abef = _mm_alignr_epi8(cdab, efgh, 8);
  __m128i cdgh = _mm_blend_epi16(efgh, cdab, 0xF0);
  for (; count > 0; --count, bytes += 64) {
    const __m128i before_abef = abef;
    const __m128i before_cdgh = cdgh;
    __m128i w[4];
    for (int i = 0; i < 16; ++i) {
      __m128i& word = w[i % 4];
      if (i < 4) {
        word = _mm_shuffle_epi8(
            _mm_loadu_si128(reinterpret_cast<const __m128i*>(bytes) + i), swap);
      } else {
        const __m128i newest = w[(i + 3) % 4];
        word = _mm_sha256msg2_epu32(
            _mm_add_epi32(
                _mm_sha256msg1_epu32(word, w[(i + 1) % 4]),
                _mm_alignr_epi8(newest, w[(i + 2) % 4], 4)),
            newest);
      }
      const __m128i sum = _mm_add_epi32(
          word,
          _mm_load_si128(reinterpret_cast<const __m128i*>(kRounds.data()) + i));
      cdgh = _mm_sha256rnds2_epu32(cdgh, abef, sum);
      abef = _mm_sha256rnds2_epu32(abef, cdgh, _mm_shuffle_epi32(sum, 0x0E));
    }
    abef = _mm_add_epi32(abef, before_abef);
    cdgh = _mm_add_epi32(cdgh, before_cdgh);
  }
  const __m128i feba = _mm_shuffle_epi32(abef, 0x1B);
  const __m128i dchg = _mm_shuffle_epi32(cdgh, 0xB1);
  _mm_storeu_si128(stored, _mm_blend_epi16(feba, dchg, 0xF0));
  _mm_storeu_si128(stored + 1, _mm_alignr_epi8(dchg, feba, 8));
}

// True if the processor has SHA-NI (CPUID leaf 7, EBX bit 29) and SSE4.1.
bool has_instructions() {
  unsigned a = 0;
  unsigned b = 0;
  unsigned c = 0;
  unsigned d = 0;
  return __builtin_cpu_supports("sse4.1") &&
      __get_cpuid_count(7, 0, &a, &b, &c, &d) != 0 && (b >> 29 & 1) != 0;
}
#endif

void hash(
    State& state,
    const std::uint8_t* bytes,
    std::size_t count,
    [[maybe_unused]] bool plainly) {
#ifdef __x86_64__
  static const bool fast = has_instructions();
  if (fast && !plainly) {
    hash_fast(state, bytes, count);
    return;
  }
#endif
  hash_plainly(state, bytes, count);
}

} // namespace

void Sha256::update(const void* bytes, std::size_t size) {
  const auto* next = static_cast<const std::uint8_t*>(bytes);
  const std::size_t used = size_ % kBlock;
  size_ += size;
  if (used > 0) {
    const std::size_t taken = std::min(size, kBlock - used);
    std::copy_n(next, taken, rest_.begin() + used);
    next += taken;
    size -= taken;
    if (used + taken < kBlock) {
      return;
    }
    hash(state_, rest_.data(), 1, plainly_);
  }
  hash(state_, next, size / kBlock, plainly_);
  std::copy_n(next + size / kBlock * kBlock, size % kBlock, rest_.begin());
}

std::string Sha256::hex() {
  const std::uint64_t bits = __builtin_bswap64(8 * size_);
  const std::array<std::uint8_t, kBlock> padding{0x80};
  update(padding.data(), 1 + (2 * kBlock - 9 - size_ % kBlock) % kBlock);
  update(&bits, sizeof(bits));
  std::string text;
  for (const std::uint32_t word : state_) {
    text += fmt::format("{:08x}", word);
  }
  return text;
}

} // namespace vitrain
