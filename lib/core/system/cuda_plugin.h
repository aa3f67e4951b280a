#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace c10d {
class Backend;
class Store;
} // namespace c10d

namespace vitrain {

// Interface to everything that needs CUDA or NCCL, implemented in
// vitrain_cuda.so next to the executable. A worker on a CUDA device opens it
// before its first torch call, because torch caches its CUDA hooks. The
// executable itself links libtorch_cpu only, so that it runs on machines with
// and without GPUs.
class CudaPlugin {
 public:
  virtual ~CudaPlugin() = default;

  // Returns why no CUDA device can be used, as a sentence without its full
  // stop; "" if devices can be used. If the result is not "", only this
  // function and versions() may be called.
  virtual std::string problem() const = 0;
  virtual void set_device(int device) const = 0;
  // Allocates pinned host memory, from which devices copy directly; null on
  // failure. Free it with free_pinned().
  virtual void* allocate_pinned(std::size_t bytes) const = 0;
  virtual void free_pinned(void* memory) const = 0;
  // Returns the peak memory, in bytes, that torch's allocator has reserved on a
  // device since the process started.
  virtual std::int64_t peak_memory(int device) const = 0;
  // Returns "CUDA 13.0, cuDNN 9.19, NCCL 2.28.9".
  virtual std::string versions() const = 0;
  // Creates a ProcessGroupNCCL; the caller owns the returned reference
  // (c10::intrusive_ptr::reclaim). Collective.
  virtual c10d::Backend* make_nccl_backend(
      c10d::Store* store,
      int rank,
      int size,
      double timeout_seconds) const = 0;
};

// Version of the class above: increase it whenever the class changes.
inline constexpr int kCudaPluginVersion = 4;

// The two C functions that vitrain_cuda.so exports.
inline constexpr const char* kCudaPluginVersionSymbol =
    "vitrain_cuda_plugin_version";
inline constexpr const char* kCudaPluginSymbol = "vitrain_cuda_plugin";

// Returns true if vitrain_cuda.so is next to the executable, that is, if the
// build supports GPUs.
bool has_cuda_plugin();
// Opens vitrain_cuda.so next to the executable, once per process. Throws
// Error(kUsage) if it cannot be opened (with the loader's reason) or belongs to
// another build.
const CudaPlugin& open_cuda_plugin();
// As open_cuda_plugin(), and checks that CUDA devices can be used. Also throws
// Error(kUsage) with CudaPlugin::problem() if that is not "".
const CudaPlugin& load_cuda_plugin();

} // namespace vitrain
