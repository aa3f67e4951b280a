#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include <ATen/core/Tensor.h>

#include "dist/group/group.h"
#include "dist/sync/gradient_sync.h"

namespace vitrain::dist {

// Buffers that the computation of each shard of a batch fills. All tensors are
// on one device and keep their memory.
struct ShardBuffers {
  std::vector<at::Tensor> gradients; // flat, fp32
  // Running statistics of BatchNorm layers, fp32.
  std::vector<at::Tensor> statistics{};
  std::vector<at::Tensor> counters{}; // of batches, int64
};

// Returns a GradientSync whose sums have the same bits for any number of ranks
// (run.determinism: elastic). A step has `shards` shards of `micro_batches`
// micro-batches each; rank r computes shards / size() of them, from number
// r * shards / size() on. `shards` and the group's size are powers of 2, and
// the size divides `shards`. StepInfo::samples counts samples per shard.
//
// The gradients of each shard are computed apart, from zero, and added by a
// binary tree: shards 2 i and 2 i + 1, then their sums, and so on. Running
// statistics of every shard start from those before the step; after finish()
// they are the mean over the shards with samples, added by the same tree.
// Counters rise by `micro_batches` in each step with samples, for any number of
// ranks. Nothing is exchanged before finish(), which takes two collectives.
std::unique_ptr<GradientSync> make_shard_sum(
    Group& group,
    ShardBuffers buffers,
    std::int64_t shards,
    std::int64_t micro_batches);

} // namespace vitrain::dist
