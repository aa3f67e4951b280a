#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "core/random.h"

namespace vitrain {

// Changes one to six bytes; in four of ten cases also zeroes a range of up to
// 39 bytes, sets it to 255, removes it, or truncates the bytes. Does nothing if
// `bytes` is empty.
inline void damage(std::vector<std::uint8_t>& bytes, Random& random) {
  if (bytes.empty()) {
    return;
  }
  const auto place = [&] {
    return static_cast<std::ptrdiff_t>(random.below(bytes.size()));
  };
  const std::uint64_t flips = 1 + random.below(6);
  for (std::uint64_t i = 0; i < flips; ++i) {
    bytes[static_cast<std::size_t>(place())] ^=
        static_cast<std::uint8_t>(1 + random.below(255));
  }
  const auto start = bytes.begin() + place();
  const auto length = static_cast<std::ptrdiff_t>(random.below(40));
  const auto end = start + std::min(bytes.end() - start, length);
  switch (random.below(10)) {
    case 0:
      std::fill(start, end, 0x00);
      break;
    case 1:
      std::fill(start, end, 0xFF);
      break;
    case 2:
      bytes.erase(start, end);
      break;
    case 3:
      bytes.erase(start, bytes.end());
      break;
    default:
      break;
  }
}

} // namespace vitrain
