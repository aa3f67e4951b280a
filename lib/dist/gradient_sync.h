#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <ATen/core/Tensor.h>

#include "dist/group.h"

namespace vitrain::dist {

// A parameter whose gradient lies in a flat buffer.
struct GradientSlot {
  std::string name;
  at::Tensor parameter; // its .grad is buffer[offset, offset + numel)
  std::int64_t offset = 0; // elements
};

// A flat gradient buffer and what lies in it, in the order in which backward
// finishes.
struct GradientBuffer {
  at::Tensor gradients; // [n]
  std::vector<GradientSlot> slots;
};

struct BucketOptions {
  std::int64_t first_bytes = 1 << 20;
  std::int64_t bytes = 25 << 20;
};

// Keeps replicas equal: the one interface between the train step and the way in
// which gradients are exchanged. All functions are collective in the sense that
// every rank must run the same sequence of steps and micro-batches.
class GradientSync {
 public:
  virtual ~GradientSync() = default;

  // Announces a backward pass. Gradients of all but the last micro-batch of a
  // step only accumulate; during the last one the sums travel. `empty`: this
  // rank has no samples in it and will not run backward.
  virtual void begin_micro_batch(bool last, bool empty) = 0;
  // When it returns, every gradient buffer holds the sum over all ranks and
  // micro-batches of the step. With losses divided by the step's number of
  // samples over all ranks that is the average over the global batch.
  virtual void finish() = 0;
  // Seconds that the last finish() had to wait for communication.
  virtual double exposed_seconds() const = 0;
};

// Cuts each buffer into fixed buckets (the first `first_bytes`, then `bytes`; a
// parameter is never split) and all-reduces each as soon as the last of its
// gradients has arrived, in fixed order, while backward goes on (Li et al.,
// "PyTorch Distributed", VLDB 2020). The layout never changes, so a resumed run
// adds in the same order; see docs/decisions/002 for why this is not
// c10d::Reducer.
std::unique_ptr<GradientSync> make_bucketed_all_reduce(
    Group& group,
    std::vector<GradientBuffer> buffers,
    const BucketOptions& options);

} // namespace vitrain::dist
