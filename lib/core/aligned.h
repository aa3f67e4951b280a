#pragma once

#include <concepts>

namespace vitrain {

// Alignment of data that share a buffer, in bytes: a multiple of every dtype's
// size, enough for vector instructions and for reads by devices.
inline constexpr int kAlignedBytes = 64;
inline constexpr int kAlignedFloats = 16; // kAlignedBytes in fp32 elements

// Returns the smallest multiple of `step` that is at least `count`.
template <std::integral Count>
constexpr Count round_up(Count count, int step) {
  const auto unit = static_cast<Count>(step);
  return (count + unit - 1) / unit * unit;
}

} // namespace vitrain
