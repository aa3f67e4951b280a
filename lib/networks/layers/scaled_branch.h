#pragma once

#include <cstdint>

#include <ATen/core/Tensor.h>

namespace vitrain::networks {

// Returns x + f * scale * branch. `scale` [C] is a LayerScale (Touvron et al.,
// "Going deeper with image transformers", ICCV 2021); f is row `row` of `drop`
// (one factor per image), or 1 if `drop` is undefined. x, branch: [N, T, C].
at::Tensor add_scaled_branch(
    const at::Tensor& x,
    const at::Tensor& branch,
    const at::Tensor& scale,
    const at::Tensor& drop,
    std::int64_t row);

} // namespace vitrain::networks
