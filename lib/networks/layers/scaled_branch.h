#pragma once

#include <cstdint>

#include <ATen/core/Tensor.h>

namespace vitrain::networks {

// x + f scale branch, where `scale` [C] has a number for each place of the last
// dimension (LayerScale: Touvron et al., "Going deeper with image
// transformers", ICCV 2021), and f are the factors [N] in the given row of
// `drop`, one per image, or 1 where it is undefined. x, branch: [N, T, C].
at::Tensor add_scaled_branch(
    const at::Tensor& x,
    const at::Tensor& branch,
    const at::Tensor& scale,
    const at::Tensor& drop,
    std::int64_t row);

} // namespace vitrain::networks
