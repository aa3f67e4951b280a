#pragma once

#include <cstddef>

namespace vitrain::image::detail {

// Blocks lie in memory in groups of four neighbours, row by row, so that a
// vector register holds one row of all four: [8, 4, 8] coefficients.
constexpr int kGroupBlocks = 4;
constexpr int kGroupSize = 64 * kGroupBlocks;
constexpr int kRowOfGroup = 8 * kGroupBlocks;

// From the first group of a row of blocks to its block number `column`.
constexpr std::ptrdiff_t block_offset(std::ptrdiff_t column) {
  return column / kGroupBlocks * kGroupSize + column % kGroupBlocks * 8;
}

} // namespace vitrain::image::detail
