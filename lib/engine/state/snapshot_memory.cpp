#include "engine/state/snapshot_memory.h"

#include <cstdint>
#include <cstring>
#include <vector>

#include <ATen/ATen.h>
#include <ATen/core/grad_mode.h>
#include <c10/core/impl/VirtualGuardImpl.h>

#include "core/aligned.h"
#include "core/check.h"
#include "core/system/cuda_plugin.h"
#include "core/text.h"

namespace vitrain::engine {
namespace {

bool is_own_copy(const at::Tensor& tensor) {
  return tensor.is_cpu() && tensor.use_count() == 1 &&
      tensor.storage().use_count() == 1;
}

at::Tensor allocate(std::int64_t bytes, const CudaPlugin* cuda) {
  if (cuda == nullptr) {
    return at::empty({bytes}, at::kByte);
  }
  void* memory = cuda->allocate_pinned(static_cast<std::size_t>(bytes));
  VITRAIN_CHECK(
      memory != nullptr,
      ExitCode::kOutOfMemory,
      "cannot lock {} of memory for a checkpoint",
      human_bytes(static_cast<double>(bytes)));
  return at::from_blob(
      memory,
      {bytes},
      [cuda](void* pinned) { cuda->free_pinned(pinned); },
      at::kByte);
}

} // namespace

void SnapshotMemory::copy(states::Snapshot& snapshot) {
  const at::NoGradGuard no_grad;
  std::vector<at::Tensor*> tensors;
  std::int64_t bytes = 0;
  for (auto* part : {&snapshot.model, &snapshot.ema, &snapshot.optimizer}) {
    for (auto& [name, tensor] : *part) {
      if (!is_own_copy(tensor)) {
        tensors.push_back(&tensor);
        bytes +=
            round_up(static_cast<std::int64_t>(tensor.nbytes()), kAlignedBytes);
      }
    }
  }
  if (!memory_.defined() || memory_.numel() < bytes) {
    memory_.reset(); // before the larger one is allocated
    memory_ = allocate(bytes, cuda_);
  }
  auto* next = memory_.data_ptr<std::uint8_t>();
  for (at::Tensor* tensor : tensors) {
    const at::Tensor copy =
        at::from_blob(next, tensor->sizes(), tensor->scalar_type());
    next +=
        round_up(static_cast<std::int64_t>(tensor->nbytes()), kAlignedBytes);
    if (tensor->is_cpu() && tensor->is_contiguous() && tensor->numel() > 0) {
      // One thread is as fast as several, which would wait for each other at
      // every tensor.
      std::memcpy(copy.data_ptr(), tensor->data_ptr(), tensor->nbytes());
    } else {
      copy.copy_(*tensor, /*non_blocking=*/true);
    }
    *tensor = copy;
  }
  if (cuda_ != nullptr) {
    const c10::impl::VirtualGuardImpl guard(c10::kCUDA);
    guard.getStream(guard.getDevice()).synchronize();
  }
}

} // namespace vitrain::engine
