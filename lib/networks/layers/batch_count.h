#pragma once

#include <vector>

#include <ATen/core/Tensor.h>

namespace vitrain::networks {

// During its lifetime, BatchNorm layers that run on this thread do not count
// their batches (num_batches_tracked) themselves.
class BatchCountScope {
 public:
  BatchCountScope();
  ~BatchCountScope();
  BatchCountScope(const BatchCountScope&) = delete;
  BatchCountScope& operator=(const BatchCountScope&) = delete;

  // Counts the batches since the last call, on a GPU in one kernel.
  void count();

 private:
  friend void count_batch(at::Tensor counter);

  std::vector<at::Tensor> counters_;
  BatchCountScope* outer_;
};

// Adds 1 to the counter of a BatchNorm layer, at once or in the innermost
// BatchCountScope of this thread.
void count_batch(at::Tensor counter);

} // namespace vitrain::networks
