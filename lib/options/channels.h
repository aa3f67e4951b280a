#pragma once

#include <cstdint>

namespace vitrain {

// Whether images of so many channels have colours (3), or are made of them (1:
// grey): any file of an image will do. Of another number files have to have it.
constexpr bool are_colours(std::int64_t channels) {
  return channels == 1 || channels == 3;
}

} // namespace vitrain
