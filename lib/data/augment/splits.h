#pragma once

#include <cstdint>

#include "data/order/draw.h"

namespace vitrain::data {

// A sample that a batch has in several versions (AugMix's splits): the draw
// that version `split` of `splits` changes by. What all versions share is drawn
// by the sample's own draw.
inline Draw of_split(Draw draw, std::int64_t splits, std::int64_t split) {
  draw.copy = draw.copy * splits + split;
  return draw;
}

} // namespace vitrain::data
