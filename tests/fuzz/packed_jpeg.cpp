#include <algorithm>
#include <cstring>
#include <vector>

#include "core/hash.h"
#include "core/random.h"
#include "fuzz/fuzz.h"
#include "image/formats/decoder.h"
#include "image/jpeg/packed_jpeg.h"

namespace vitrain::fuzz {
namespace {

using Bytes = std::vector<std::uint8_t>;

// Puts the checksum right, so that damage gets past it.
void seal(Bytes& packed) {
  constexpr std::size_t kHash = 20;
  constexpr std::size_t kBody = 28;
  if (packed.size() >= kBody) {
    const std::uint64_t hash = hash64(
        {reinterpret_cast<const char*>(packed.data()) + kBody,
         packed.size() - kBody});
    std::memcpy(packed.data() + kHash, &hash, sizeof(hash));
  }
}

void decode_packed(const Bytes& packed) {
  accepts([&] {
    image::Decoder decoder({.max_pixels = 1 << 20});
    decoder.open(packed);
    decoder.decode({0, 0, decoder.width(), decoder.height()});
    decoder.decode({decoder.width() / 2, decoder.height() / 3, 1, 1});
  });
  accepts([&] { image::unpack_jpeg(packed); });
}

} // namespace

// A file that is packed comes back; a packed file may be damaged in any way.
void fuzz(std::span<const std::uint8_t> input) {
  Bytes other(input.begin(), input.end());
  seal(other);
  decode_packed(other);
  const auto packed = image::pack_jpeg(input);
  if (!packed) {
    return;
  }
  const Bytes bytes(packed->begin(), packed->end());
  const std::string back = image::unpack_jpeg(bytes);
  expect(
      std::equal(
          back.begin(),
          back.end(),
          input.begin(),
          input.end(),
          [](char a, std::uint8_t b) {
            return static_cast<std::uint8_t>(a) == b;
          }),
      "a packed file comes back");
  Random random(
      hash64({reinterpret_cast<const char*>(input.data()), input.size()}),
      Purpose::kAugment,
      0,
      0);
  for (int i = 0; i < 8; ++i) {
    Bytes damaged = bytes;
    const std::uint64_t changes = 1 + random.below(4);
    for (std::uint64_t n = 0; n < changes; ++n) {
      damaged[random.below(damaged.size())] =
          static_cast<std::uint8_t>(random.below(256));
    }
    seal(damaged);
    decode_packed(damaged);
  }
}

} // namespace vitrain::fuzz
