#pragma once

#include <cstdint>
#include <span>

#include <ATen/core/Tensor.h>

namespace vitrain::engine {

// What masked autoencoders order the patches of an image by
// (Model::masked_patches): uniform numbers in [0, 1].

// Of the samples at positions [first, first + count) of the global batch of
// optimizer step `step`: [patches, count] fp32 on the CPU. A pure function of
// its arguments: neither the number of workers nor a restart changes it.
// Undefined when `patches` is 0.
at::Tensor patch_masks(
    std::int64_t patches,
    std::uint64_t seed,
    std::int64_t step,
    std::int64_t first,
    std::int64_t count);

// Of these samples of an evaluation set: [patches, rows], zeros behind them.
// Each sample has its own masks, the same in every evaluation whatever the
// seed: losses are comparable from step to step and from run to run.
at::Tensor eval_patch_masks(
    std::int64_t patches,
    std::span<const std::int64_t> samples,
    std::int64_t rows);

} // namespace vitrain::engine
