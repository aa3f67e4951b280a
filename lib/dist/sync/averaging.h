#pragma once

#include <cstdint>
#include <memory>
#include <variant>
#include <vector>

#include <ATen/core/Tensor.h>

#include "dist/group/group.h"
#include "dist/sync/gradient_sync.h"

// The modes of dist.sync other than a plain all-reduce of gradients and
// async_ps. docs/synchronisation.md has the definitions; w_i are the parameters
// and g_i the gradient of rank i, t is the number of updates.
namespace vitrain::dist {

// Data of a replica: flat buffers, one of each kind per parameter group, and
// the optimizer's update count.
struct ReplicaBuffers {
  std::vector<GradientBuffer> gradients;
  std::vector<at::Tensor> parameters;
  std::vector<at::Tensor> moments; // optimizer state buffers, any number
  at::Tensor steps{}; // optimizer's update count; only needed for `predict`
};

// Returns the mode in which step t applies the mean gradient of step t - 1,
// whose all-reduce ran in the meantime; the first step applies nothing, and
// flush() applies the last gradient. Replicas are equal after every step. With
// `predict`, each rank computes its next gradients at weights to which it has
// already applied its own gradient of step t in place of the mean; this
// prediction is undone before the mean arrives. Without the prediction (after
// flush() and during updates) weights are equal on all ranks.
std::unique_ptr<GradientSync> make_delayed_all_reduce(
    Group& group,
    ReplicaBuffers buffers,
    const BucketOptions& buckets,
    bool predict);

// Local SGD: every rank updates by its own gradients, and when (t - start) mod
// period = 0 all ranks set their parameters to the mean (Stich, "Local SGD
// converges fast and communicates little", ICLR 2019; with `start` and `node`:
// Lin et al., "Don't use large mini-batches, use local SGD", ICLR 2020).
struct LocalSgdOptions {
  // Gradients are averaged over all ranks until t = start.
  std::int64_t start = 0;
  std::int64_t period = 1; // steps between two averages of the parameters
  bool average_moments = false; // also average the optimizer's state
  // If not null, gradients are still averaged over this group of ranks (one
  // node) from `start` on.
  Group* node = nullptr;
};

// One level of hierarchical averaging. Ranks update locally; after update t the
// parameters are averaged over the group of the last level whose period divides
// t. Levels are sorted by ascending period; the last one contains all ranks
// (torch's HierarchicalModelAverager).
struct AveragingLevel {
  std::int64_t period = 1;
  Group* group = nullptr; // group of this level that contains this rank
};
using AveragingLevels = std::vector<AveragingLevel>;

// DiLoCo (Douillard et al., "DiLoCo", 2023): `period` local updates from common
// parameters w; then an outer SGD with Nesterov momentum updates w with the
// gradient d = w - mean(w_i), and all ranks continue from the new w.
struct DilocoOptions {
  std::int64_t period = 1;
  double outer_lr = 0.7;
  double outer_momentum = 0.9;
};

// Averaging that overlaps with training: at t = k * period the ranks start to
// average their parameters s_i and continue with local updates; `delay` updates
// later w_i <- w_i + mean(s) - s_i, which does not change the mean over the
// ranks.
struct OverlapOptions {
  std::int64_t period = 1;
  std::int64_t delay = 0; // steps, less than period
};

using AveragingOptions = std::
    variant<LocalSgdOptions, AveragingLevels, DilocoOptions, OverlapOptions>;

// Returns the mode that the type of `options` selects.
std::unique_ptr<GradientSync> make_averaging(
    Group& group,
    ReplicaBuffers buffers,
    const BucketOptions& buckets,
    const AveragingOptions& options);

// Returns the mode Hogwild (Niu et al., "Hogwild!", NIPS 2011): the weights are
// in shared memory (share_memory()), and every rank adds its updates without a
// lock. Simultaneous updates may be partly lost, and runs are not reproducible.
// A rank without samples in a step makes no update. No rank is more than `lead`
// steps ahead of another. `updates`: one int64 in shared memory, initially 0,
// that counts the updates of all ranks. The staleness of an update is the
// number of other updates that finished between the begin of its step and its
// own end.
std::unique_ptr<GradientSync> make_hogwild(
    Group& group,
    ReplicaBuffers buffers,
    std::int64_t lead,
    const at::Tensor& updates);

} // namespace vitrain::dist
