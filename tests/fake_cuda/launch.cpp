// Kernels: registered by name, launched into nothing, counted.

#include <cuda_runtime_api.h>
#include <dlfcn.h>

#include <array>
#include <cstring>
#include <mutex>
#include <unordered_map>

#include "arguments.h"
#include "current.h"
#include "faults.h"
#include "record.h"
#include "settings.h"

namespace vitrain::fake_cuda {
namespace {

struct Configuration {
  dim3 grid;
  dim3 block;
  std::size_t shared;
  cudaStream_t stream;
};

// Configurations of nested launches.
thread_local std::array<Configuration, 8> configurations;
thread_local std::size_t depth = 0;

// Returns the parameters of a launched kernel.
const Parameters& parameters_of(const void* kernel) {
  static std::mutex mutex;
  static auto* const all = new std::unordered_map<const void*, Parameters>;
  const std::scoped_lock lock(mutex);
  const auto found = all->find(kernel);
  return found != all->end()
      ? found->second
      : all->emplace(kernel, Parameters(kernel_name(kernel))).first->second;
}

// `kernel`: the program's handle of the kernel.
cudaError_t launch(
    const void* kernel,
    dim3 grid,
    dim3 block,
    void** arguments,
    cudaStream_t stream) {
  constexpr unsigned kThreadsAtMost = 1024;
  if (grid.x == 0 || grid.y == 0 || grid.z == 0 ||
      block.x * block.y * block.z == 0 ||
      block.x * block.y * block.z > kThreadsAtMost) {
    violation("a kernel's grid is empty, or its block too large");
    set_last_error(cudaErrorInvalidConfiguration);
    return cudaErrorInvalidConfiguration;
  }
  use_device(current_device());
  count_launch(kernel);
  if (settings().order) {
    parameters_of(kernel).use(stream, arguments);
  }
  return launch_error(current_device());
}

int not_supported() {
  constexpr int kNotSupported = 801; // CUDA_ERROR_NOT_SUPPORTED
  return kNotSupported;
}

} // namespace
} // namespace vitrain::fake_cuda

using namespace vitrain::fake_cuda;

extern "C" {

void** __cudaRegisterFatBinary(void*) {
  static std::array<void*, 4> handle;
  return handle.data();
}

void __cudaRegisterFatBinaryEnd(void**) {}

void __cudaUnregisterFatBinary(void**) {}

char __cudaInitModule(void**) {
  return 0;
}

void __cudaRegisterFunction(
    void**,
    const char* host,
    char*,
    const char* name,
    int,
    uint3*,
    uint3*,
    dim3*,
    dim3*,
    int*) {
  name_kernel(host, name);
}

void __cudaRegisterVar(
    void**,
    char*,
    char*,
    const char*,
    int,
    std::size_t,
    int,
    int) {}

unsigned __cudaPushCallConfiguration(
    dim3 grid,
    dim3 block,
    std::size_t shared,
    void* stream) {
  configurations.at(depth++) = {
      grid, block, shared, static_cast<cudaStream_t>(stream)};
  return 0;
}

cudaError_t __cudaPopCallConfiguration(
    dim3* grid,
    dim3* block,
    std::size_t* shared,
    void* stream) {
  const Configuration& top = configurations.at(--depth);
  *grid = top.grid;
  *block = top.block;
  *shared = top.shared;
  *static_cast<cudaStream_t*>(stream) = top.stream;
  return cudaSuccess;
}

cudaError_t __cudaGetKernel(cudaKernel_t* kernel, const void* function) {
  *kernel = static_cast<cudaKernel_t>(const_cast<void*>(function));
  return cudaSuccess;
}

cudaError_t __cudaLaunchKernel(
    cudaKernel_t kernel,
    dim3 grid,
    dim3 block,
    void** arguments,
    std::size_t,
    cudaStream_t stream) {
  return launch(kernel, grid, block, arguments, stream);
}

cudaError_t cudaLaunchKernel(
    const void* function,
    dim3 grid,
    dim3 block,
    void** arguments,
    std::size_t,
    cudaStream_t stream) {
  return launch(function, grid, block, arguments, stream);
}

cudaError_t cudaLaunchKernelExC(
    const cudaLaunchConfig_t* how,
    const void* function,
    void** arguments) {
  return launch(function, how->gridDim, how->blockDim, arguments, how->stream);
}

cudaError_t cudaFuncGetAttributes(cudaFuncAttributes* all, const void*) {
  std::memset(all, 0, sizeof *all);
  all->maxThreadsPerBlock = 1024;
  all->binaryVersion = 10 * settings().major + settings().minor;
  all->ptxVersion = all->binaryVersion;
  all->numRegs = 32;
  all->maxDynamicSharedSizeBytes = 232448;
  return cudaSuccess;
}

cudaError_t cudaFuncSetAttribute(const void*, cudaFuncAttribute, int) {
  return cudaSuccess;
}

cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
    int* blocks,
    const void*,
    int,
    std::size_t,
    unsigned) {
  *blocks = 2;
  return cudaSuccess;
}

// Returns functions of this folder's libcuda.so.1; for missing ones, a function
// that returns "not supported".
cudaError_t cudaGetDriverEntryPointByVersion(
    const char* name,
    void** function,
    unsigned,
    unsigned long long,
    cudaDriverEntryPointQueryResult* result) {
  static void* const driver = ::dlopen("libcuda.so.1", RTLD_NOW);
  *function = driver != nullptr ? ::dlsym(driver, name) : nullptr;
  if (*function == nullptr) {
    *function = reinterpret_cast<void*>(&not_supported);
  }
  if (result != nullptr) {
    *result = cudaDriverEntryPointSuccess;
  }
  return cudaSuccess;
}

} // extern "C"
