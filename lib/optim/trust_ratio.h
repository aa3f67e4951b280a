#pragma once

#include <functional>
#include <vector>

#include <ATen/core/Tensor.h>

#include "optim/flat_state.h"

namespace vitrain::optim {

// Computes the factors of the steps from the norms of weights and directions;
// all tensors are [number of segments].
using TrustRatio = std::function<
    at::Tensor(const at::Tensor& weights, const at::Tensor& directions)>;

// Multiplies each parameter's part of `steps` by ratio(norm of its part of
// `weights`, norm of its part of `directions`), if both norms are positive. The
// buffers begin at element `own_begin` of the group.
void scale_by_norms(
    const std::vector<const Segment*>& segments,
    std::int64_t own_begin,
    const at::Tensor& weights,
    const at::Tensor& directions,
    const at::Tensor& steps,
    const TrustRatio& ratio);

} // namespace vitrain::optim
