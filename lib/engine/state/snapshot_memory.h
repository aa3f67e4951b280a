#pragma once

#include <ATen/core/Tensor.h>

#include "states/store.h"

namespace vitrain {
class CudaPlugin;
} // namespace vitrain

namespace vitrain::engine {

// Memory for copies of a run's state, reused by every checkpoint.
class SnapshotMemory {
 public:
  // `cuda`: its pinned memory is used, to which devices copy directly; null:
  // ordinary memory.
  explicit SnapshotMemory(const CudaPlugin* cuda) : cuda_(cuda) {}

  // Replaces the snapshot's tensors by copies on the host, so that training can
  // continue while they are written; tensors on the CPU that nothing else
  // refers to stay. Overwrites the copies of the last call. Waits for the
  // device. Throws if memory runs out; each tensor of the snapshot is then the
  // original or its copy.
  void copy(states::Snapshot& snapshot);

 private:
  const CudaPlugin* cuda_;
  at::Tensor memory_; // bytes
};

} // namespace vitrain::engine
