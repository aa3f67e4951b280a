#pragma once

#include <cstdint>

namespace vitrain {

// Returns true for 3 channels (colour) and 1 channel (grey, computed from
// colours), which any image file can provide. Other channel counts must match
// the file.
constexpr bool are_colours(std::int64_t channels) {
  return channels == 1 || channels == 3;
}

} // namespace vitrain
