// The only file that uses CUDA and NCCL through torch.

#include <ATen/detail/CUDAHooksInterface.h>
#include <c10/cuda/CUDACachingAllocator.h>
#include <c10/cuda/CUDAFunctions.h>
#include <cuda_runtime_api.h>
#include <nccl.h>
#include <torch/csrc/distributed/c10d/ProcessGroupNCCL.hpp>

#include <fmt/format.h>

#include "core/system/cuda_plugin.h"

namespace vitrain::cuda {
namespace {

// Formats a CUDA version: 13000 is "13.0".
std::string version(int number) {
  return fmt::format("{}.{}", number / 1000, number % 1000 / 10);
}

// Returns a message if devices are too old for this CUDA; "" if none is.
std::string old_devices(int count) {
  constexpr int kOldest = 75; // lowest compute capability that CUDA 13 supports
  for (int device = 0; device < count; ++device) {
    int major = 0;
    int minor = 0;
    cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device);
    cudaDeviceGetAttribute(&minor, cudaDevAttrComputeCapabilityMinor, device);
    if (10 * major + minor < kOldest) {
      return fmt::format(
          "cuda:{} is of compute capability {}.{}, and CUDA {} begins at 7.5. "
          "Hide it (CUDA_VISIBLE_DEVICES), or build with a torch for an older "
          "CUDA (VITRAIN_TORCH)",
          device,
          major,
          minor,
          version(CUDART_VERSION));
    }
  }
  return "";
}

class Plugin final : public CudaPlugin {
 public:
  std::string problem() const override {
    int driver = 0;
    cudaDriverGetVersion(&driver);
    int count = 0;
    const cudaError_t error = cudaGetDeviceCount(&count);
    cudaGetLastError(); // otherwise a later call would return the error
    if (driver == 0) {
      return "libcuda.so.1, which comes with NVIDIA's driver, cannot be loaded "
             "here. Install the driver; in a container, start it with the GPUs "
             "(docker run --gpus all)";
    }
    if (error == cudaErrorInsufficientDriver) {
      return fmt::format(
          "the NVIDIA driver is too old: it works with CUDA up to {}, and this "
          "build of torch needs {}. Install a newer driver, or build with a "
          "torch for that CUDA (VITRAIN_TORCH)",
          version(driver),
          version(CUDART_VERSION));
    }
    return error == cudaSuccess
        ? old_devices(count)
        : fmt::format(
              "CUDA says '{}'; `nvidia-smi` and `vitrain "
              "devices` show what the driver sees",
              cudaGetErrorString(error));
  }

  void set_device(int device) const override {
    c10::cuda::set_device(static_cast<c10::DeviceIndex>(device));
  }

  void* allocate_pinned(std::size_t bytes) const override {
    void* memory = nullptr;
    if (cudaHostAlloc(&memory, bytes, cudaHostAllocDefault) != cudaSuccess) {
      cudaGetLastError(); // otherwise a later call would return the error
      return nullptr;
    }
    return memory;
  }

  void free_pinned(void* memory) const override { cudaFreeHost(memory); }

  std::int64_t peak_memory(int device) const override {
    using c10::CachingAllocator::StatType;
    const auto stats = c10::cuda::CUDACachingAllocator::getDeviceStats(
        static_cast<c10::DeviceIndex>(device));
    return stats.reserved_bytes[static_cast<std::size_t>(StatType::AGGREGATE)]
        .peak;
  }

  std::string versions() const override {
    int runtime = 0;
    cudaRuntimeGetVersion(&runtime);
    int nccl = 0;
    ncclGetVersion(&nccl);
    const long cudnn = at::detail::getCUDAHooks().versionRuntimeCuDNN();
    return fmt::format(
        "CUDA {}, cuDNN {}.{}.{}, NCCL {}.{}.{}",
        version(runtime),
        cudnn / 10000,
        cudnn / 100 % 100,
        cudnn % 100,
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

// C linkage: the executable finds these functions with dlsym().
extern "C" int vitrain_cuda_plugin_version() {
  return vitrain::kCudaPluginVersion;
}

extern "C" const vitrain::CudaPlugin* vitrain_cuda_plugin() {
  static const vitrain::cuda::Plugin plugin;
  return &plugin;
}
