#pragma once

#include <cstdint>

#include <ATen/core/Tensor.h>

#include "options/image_size.h"

namespace vitrain::networks {

// Positions [1, extra + from.area(), D] of tokens on the grid `to`: bicubic
// with antialiasing, as timm's resample_abs_pos_embed (dynamic_img_size). The
// first `extra`, which have no place, stay. Gradients go back the same way, so
// that the parameter keeps the grid that it has.
at::Tensor resample_positions(
    const at::Tensor& positions,
    std::int64_t extra,
    const ImageSize& from,
    const ImageSize& to);

} // namespace vitrain::networks
