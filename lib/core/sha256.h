#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>

namespace vitrain {

// Incremental SHA-256 (FIPS 180-4), with the processor's instructions for it if
// it has them.
class Sha256 {
 public:
  // `plainly`: do not use the processor's SHA instructions.
  explicit Sha256(bool plainly = false) : plainly_(plainly) {}

  void update(const void* bytes, std::size_t size);
  // Returns the hash of all bytes as 64 lower-case hexadecimal digits. Call it
  // once, last.
  std::string hex();

 private:
  static constexpr std::size_t kBlock = 64;

  std::array<std::uint32_t, 8> state_{
      0x6a09e667,
      0xbb67ae85,
      0x3c6ef372,
      0xa54ff53a,
      0x510e527f,
      0x9b05688c,
      0x1f83d9ab,
      0x5be0cd19};
  std::array<std::uint8_t, kBlock> rest_{}; // bytes of an incomplete block
  std::uint64_t size_ = 0;
  bool plainly_;
};

} // namespace vitrain
