#pragma once

#include <cstdint>
#include <memory>
#include <variant>
#include <vector>

#include <ATen/core/Tensor.h>

#include "dist/group/group.h"
#include "dist/sync/gradient_sync.h"

// The modes of dist.sync other than a plain all-reduce. Definitions, with w_i
// the parameters and g_i the gradient of rank i, t the number of updates made,
// are those of docs/synchronisation.md.
namespace vitrain::dist {

// What the modes act on: flat buffers, one of each per parameter group, and the
// optimizer's count.
struct ReplicaBuffers {
  std::vector<GradientBuffer> gradients;
  std::vector<at::Tensor> parameters;
  std::vector<at::Tensor> moments; // of the optimizer, however many
  at::Tensor steps{}; // that it has made: only predictions need it
};

// Applies in step t the mean gradient of step t - 1, whose all-reduce has run
// meanwhile; the first step applies nothing, flush() applies what is left.
// Replicas are equal after every step. With `predict` each rank computes its
// next gradients at weights to which it has applied its own gradients of step t
// already, in the place of their mean; before that arrives this is taken back.
// Then it is the weights without the prediction that are equal: after flush(),
// and whenever updates are made.
std::unique_ptr<GradientSync> make_delayed_all_reduce(
    Group& group,
    ReplicaBuffers buffers,
    const BucketOptions& buckets,
    bool predict);

// Every rank updates by its own gradients; when (t - start) mod period = 0 all
// take the mean of the parameters (Stich, "Local SGD converges fast and
// communicates little", ICLR 2019; with `start`, and `node`: Lin et al., "Don't
// use large mini-batches, use local SGD", ICLR 2020).
struct LocalSgdOptions {
  std::int64_t start = 0; // all-reduce of gradients until t = start
  std::int64_t period = 1; // steps between two averages of the parameters
  bool average_moments = false; // and of the optimizer's state
  // Not null: from `start` on gradients are still averaged over this group of
  // ranks (those of a node).
  Group* node = nullptr;
};

// Local updates; after update t the parameters are averaged over the group of
// the last level whose period divides t. Levels by ascending period; the last
// one has all ranks (torch's HierarchicalModelAverager).
struct AveragingLevel {
  std::int64_t period = 1;
  Group* group = nullptr; // that of this rank
};
using AveragingLevels = std::vector<AveragingLevel>;

// `period` local updates from common parameters w; then d = w - mean(w_i) is
// the gradient of an outer SGD with Nesterov momentum that moves w, and all
// ranks go on from there (Douillard et al., "DiLoCo", 2023).
struct DilocoOptions {
  std::int64_t period = 1;
  double outer_lr = 0.7;
  double outer_momentum = 0.9;
};

// Local updates; at t = k period the ranks' parameters s_i are summed while
// training goes on, and `delay` updates later w_i <- w_i + mean(s) - s_i. The
// mean over the ranks is not changed by it.
struct OverlapOptions {
  std::int64_t period = 1;
  std::int64_t delay = 0; // steps, less than period
};

using AveragingOptions = std::
    variant<LocalSgdOptions, AveragingLevels, DilocoOptions, OverlapOptions>;

// The mode that these are the options of.
std::unique_ptr<GradientSync> make_averaging(
    Group& group,
    ReplicaBuffers buffers,
    const BucketOptions& buckets,
    const AveragingOptions& options);

// The weights are one piece of memory (share_memory()), to which every rank
// adds its own updates when they are ready, without a lock (Niu et al.,
// "Hogwild!", NIPS 2011). Updates that meet may be lost in part; no two runs
// are equal. A rank without samples in a step makes no update. No rank is more
// than `lead` steps ahead of another. `updates`: one int64 in the same shared
// memory, 0, which counts the updates of all ranks; the staleness of an update
// is how many others were finished between the beginning of its step and its
// own end.
std::unique_ptr<GradientSync> make_hogwild(
    Group& group,
    ReplicaBuffers buffers,
    std::int64_t lead,
    const at::Tensor& updates);

} // namespace vitrain::dist
