#pragma once

#include <cstdint>
#include <span>

#include <ATen/core/Tensor.h>

namespace vitrain::engine {

// Uniform random numbers in [0, 1] by which masked autoencoders order the
// patches of an image (Model::masked_patches).

// Returns the numbers of the samples at positions [first, first + count) of the
// global batch of optimizer step `step`: [patches, count] fp32 on the CPU. A
// pure function of its arguments: the number of workers and restarts do not
// change it. Undefined if `patches` is 0.
at::Tensor patch_masks(
    std::int64_t patches,
    std::uint64_t seed,
    std::int64_t step,
    std::int64_t first,
    std::int64_t count);

// Returns the numbers of evaluation samples: [patches, rows], padded with
// zeros. Each sample has the same numbers in every evaluation, for any seed, so
// that losses are comparable between steps and runs.
at::Tensor eval_patch_masks(
    std::int64_t patches,
    std::span<const std::int64_t> samples,
    std::int64_t rows);

} // namespace vitrain::engine
