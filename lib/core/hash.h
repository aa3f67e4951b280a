#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

struct XXH3_state_s;

namespace vitrain {

// XXH3, 64 bits: fast fingerprint of bytes; not cryptographic.
std::uint64_t hash64(std::string_view bytes);

// XXH3, 128 bits, the upper half first. Inputs with equal hashes can be taken
// for equal, unless someone constructed a collision on purpose.
using Hash128 = std::array<std::uint64_t, 2>;
Hash128 hash128(std::string_view bytes);

// Incremental XXH3, 128 bits: the checksum of checkpoint files.
class Hasher {
 public:
  Hasher();

  void update(const void* bytes, std::size_t size);
  // Returns the hash of all bytes so far as 32 lower-case hexadecimal digits;
  // update() may follow.
  std::string hex() const;

 private:
  std::unique_ptr<XXH3_state_s, int (*)(XXH3_state_s*)> state_;
};

// Returns 16 lower-case hexadecimal digits.
std::string to_hex(std::uint64_t value);

} // namespace vitrain
