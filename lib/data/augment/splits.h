#pragma once

#include <cstdint>

#include "data/augment/draw.h"

namespace vitrain::data {

// Returns the draw for the random changes of version `split` of a sample that a
// batch contains in `splits` versions (AugMix's splits). Changes common to all
// versions use the sample's own draw.
inline Draw of_split(Draw draw, std::int64_t splits, std::int64_t split) {
  draw.copy = draw.copy * splits + split;
  return draw;
}

} // namespace vitrain::data
