#include "core/hash.h"

#include <xxhash.h>

#include <fmt/format.h>

namespace vitrain {

std::uint64_t hash64(std::string_view bytes) {
  return XXH3_64bits(bytes.data(), bytes.size());
}

Hash128 hash128(std::string_view bytes) {
  const XXH128_hash_t hash = XXH3_128bits(bytes.data(), bytes.size());
  return {hash.high64, hash.low64};
}

Hasher::Hasher()
    : state_(XXH3_createState(), [](XXH3_state_t* state) {
        return static_cast<int>(XXH3_freeState(state));
      }) {
  XXH3_128bits_reset(state_.get());
}

void Hasher::update(const void* bytes, std::size_t size) {
  XXH3_128bits_update(state_.get(), bytes, size);
}

std::string Hasher::hex() const {
  const XXH128_hash_t digest = XXH3_128bits_digest(state_.get());
  return fmt::format("{:016x}{:016x}", digest.high64, digest.low64);
}

std::string to_hex(std::uint64_t value) {
  return fmt::format("{:016x}", value);
}

} // namespace vitrain
