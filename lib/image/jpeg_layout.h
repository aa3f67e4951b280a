#pragma once

namespace vitrain::image::detail {

// Blocks lie in memory in groups of four neighbours, row by row, so that a
// vector register holds one row of all four: [8, 4, 8] coefficients.
constexpr int kGroupBlocks = 4;
constexpr int kGroupSize = 64 * kGroupBlocks;

} // namespace vitrain::image::detail
