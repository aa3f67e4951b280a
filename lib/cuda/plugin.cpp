// The one file that touches CUDA and NCCL through torch.

#include <ATen/cuda/CUDAContext.h>
#include <c10/cuda/CUDACachingAllocator.h>
#include <c10/cuda/CUDAFunctions.h>
#include <cuda_runtime_api.h>
#include <nccl.h>
#include <torch/csrc/distributed/c10d/ProcessGroupNCCL.hpp>

#include <fmt/format.h>

#include "core/cuda_plugin.h"

namespace vitrain::cuda {
namespace {

class Plugin final : public CudaPlugin {
 public:
  int device_count() const override {
    return static_cast<int>(c10::cuda::device_count());
  }

  std::string device_name(int device) const override {
    return at::cuda::getDeviceProperties(static_cast<c10::DeviceIndex>(device))
        ->name;
  }

  std::int64_t device_memory(int device) const override {
    return static_cast<std::int64_t>(
        at::cuda::getDeviceProperties(static_cast<c10::DeviceIndex>(device))
            ->totalGlobalMem);
  }

  void set_device(int device) const override {
    c10::cuda::set_device(static_cast<c10::DeviceIndex>(device));
  }

  void synchronize() const override { c10::cuda::device_synchronize(); }

  std::int64_t peak_memory(int device) const override {
    const auto stats = c10::cuda::CUDACachingAllocator::getDeviceStats(
        static_cast<c10::DeviceIndex>(device));
    constexpr std::size_t kAggregate = 0;
    return stats.reserved_bytes[kAggregate].peak;
  }

  void* allocate_pinned(std::size_t bytes) const override {
    void* memory = nullptr;
    if (cudaHostAlloc(&memory, bytes, cudaHostAllocDefault) != cudaSuccess) {
      cudaGetLastError(); // else a later call would return this failure
      return nullptr;
    }
    return memory;
  }

  void free_pinned(void* memory) const override { cudaFreeHost(memory); }

  std::string versions() const override {
    int runtime = 0;
    cudaRuntimeGetVersion(&runtime);
    int nccl = 0;
    ncclGetVersion(&nccl);
    return fmt::format(
        "CUDA {}.{}, NCCL {}.{}.{}",
        runtime / 1000,
        runtime % 1000 / 10,
        nccl / 10000,
        nccl / 100 % 100,
        nccl % 100);
  }

  c10d::Backend* make_nccl_backend(
      c10d::Store* store,
      int rank,
      int size,
      double timeout_seconds) const override {
    auto options = c10d::ProcessGroupNCCL::Options::create();
    options->timeout = std::chrono::milliseconds(
        static_cast<std::int64_t>(timeout_seconds * 1e3));
    // A non-blocking communicator hung at random (pytorch#153960).
    options->config.blocking = 1;
    auto shared = c10::intrusive_ptr<c10d::Store>::reclaim_copy(store);
    return c10::make_intrusive<c10d::ProcessGroupNCCL>(
               shared, rank, size, options)
        .release();
  }
};

} // namespace
} // namespace vitrain::cuda

// Plain C names: the executable finds them with dlsym.
extern "C" int vitrain_cuda_plugin_version() {
  return vitrain::kCudaPluginVersion;
}

extern "C" const vitrain::CudaPlugin* vitrain_cuda_plugin() {
  static const vitrain::cuda::Plugin plugin;
  return &plugin;
}
