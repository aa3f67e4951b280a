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

  // Adds the batches since the last call to their layers' counters, on a GPU in
  // one kernel. Batches after the last call are never counted.
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
