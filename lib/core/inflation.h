#pragma once

#include <cstdint>

namespace vitrain {

// Returns the limit, in bytes, on the unpacked size of an untrusted file of
// `packed` compressed bytes. Deflate can expand 1,032 times; weights and
// pictures of digits expand a few times.
constexpr std::uint64_t most_unpacked(std::uint64_t packed) {
  return (std::uint64_t{64} << 20) + 100 * packed;
}

} // namespace vitrain
