#pragma once

#include <cstdint>

#include <ATen/core/Tensor.h>

#include "options/image_size.h"

namespace vitrain::networks {

// Resamples position embeddings [1, extra + from.area(), D] to the grid `to`:
// bicubic with antialiasing, as timm's resample_abs_pos_embed
// (dynamic_img_size). Copies the first `extra` rows, which belong to no patch.
// Returns `positions` itself if the grids are equal. Differentiable with
// respect to `positions`.
at::Tensor resample_positions(
    const at::Tensor& positions,
    std::int64_t extra,
    const ImageSize& from,
    const ImageSize& to);

} // namespace vitrain::networks
