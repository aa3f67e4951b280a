#pragma once

#include <memory>
#include <vector>

#include <ATen/core/Tensor.h>

#include "dist/group/group.h"
#include "dist/sync/gradient_sync.h"

namespace vitrain::dist {

// Flat parameter buffer of which every rank updates one share (ZeRO stage 1;
// Rajbhandari et al., "ZeRO", SC 2020). All shares in rank order, equally long.
struct ShardedBuffer {
  at::Tensor whole; // flat, all shares
  at::Tensor own; // this rank's share, a view of `whole`
};

// Returns a GradientSync that exchanges gradients like `inner` and, after each
// update, all-gathers the parameter shares that the ranks updated.
std::unique_ptr<GradientSync> make_sharded_update(
    Group& group,
    std::unique_ptr<GradientSync> inner,
    std::vector<ShardedBuffer> parameters);

} // namespace vitrain::dist
