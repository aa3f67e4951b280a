#pragma once

#include <cstdint>
#include <span>

#include <ATen/core/Tensor.h>

namespace vitrain::engine {

// Uniform random numbers in [0, 1], one per patch of an image: masked
// autoencoders see the patches with the smallest numbers
// (Model::masked_patches).

// Returns the numbers of the samples at positions [first, first + count) of the
// global batch of optimizer step `step` (from 0): [patches, count] fp32 on the
// CPU. A pure function of its arguments: the number of workers and restarts do
// not change it. Undefined if `patches` is 0.
at::Tensor patch_masks(
    std::int64_t patches,
    std::uint64_t seed,
    std::int64_t step,
    std::int64_t first,
    std::int64_t count);

// Returns the numbers of the evaluation samples `samples`: [patches, rows] fp32
// on the CPU, with zeros for rows beyond the samples. Each sample has the same
// numbers in every evaluation, for any seed, so that losses are comparable
// between steps and runs. Undefined if `patches` is 0.
at::Tensor eval_patch_masks(
    std::int64_t patches,
    std::span<const std::int64_t> samples,
    std::int64_t rows);

} // namespace vitrain::engine
