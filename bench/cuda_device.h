#pragma once

#include <chrono>
#include <functional>

#include <c10/core/Device.h>
#include <c10/core/impl/VirtualGuardImpl.h>

#include "core/system/cuda_plugin.h"

namespace vitrain::bench {

// Returns the first GPU, initialised; call it before any other call of torch.
// Throws Error(kUsage) without a GPU.
inline c10::Device begin_cuda() {
  load_cuda_plugin().set_device(0);
  return {c10::kCUDA, 0};
}

// Returns the milliseconds of a call, including all work that it enqueues on a
// GPU.
inline double milliseconds(
    c10::Device device,
    const std::function<void()>& call) {
  const auto finish = [&] {
    if (device.is_cuda()) {
      c10::impl::VirtualGuardImpl(c10::kCUDA).synchronizeDevice(device.index());
    }
  };
  finish();
  const auto start = std::chrono::steady_clock::now();
  call();
  finish();
  return std::chrono::duration<double, std::milli>(
             std::chrono::steady_clock::now() - start)
      .count();
}

} // namespace vitrain::bench
