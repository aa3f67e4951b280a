// Devices, their properties, and versions.

#include <cuda_runtime_api.h>

#include <algorithm>
#include <cstdio>
#include <cstring>

#include "current.h"
#include "faults.h"
#include "record.h"
#include "settings.h"

namespace vitrain::fake_cuda {
namespace {

// Numbers of an H100; the compute capability is a setting.
constexpr int kProcessors = 132;
constexpr int kThreadsPerBlock = 1024;
constexpr int kThreadsPerProcessor = 2048;
constexpr int kSharedPerBlock = 49152;
constexpr int kSharedPerBlockAtMost = 232448;
constexpr int kSharedPerProcessor = 233472;
constexpr int kRegisters = 65536;
constexpr int kGridX = 2147483647;
constexpr int kGridY = 65535;
constexpr int kBlockZ = 64;

thread_local int current = 0;

int visible_count() {
  return static_cast<int>(settings().visible.size());
}

cudaError_t driver_error() {
  // Errors of CUDA 13's runtime without a driver and with one of CUDA 12.
  return settings().driver < 13000 ? cudaErrorInsufficientDriver
      : visible_count() == 0       ? cudaErrorNoDevice
                                   : cudaSuccess;
}

} // namespace

int current_device() {
  return current;
}

void set_current_device(int device) {
  current = device;
}

} // namespace vitrain::fake_cuda

using namespace vitrain::fake_cuda;

extern "C" {

cudaError_t cudaGetDeviceCount(int* count) {
  const cudaError_t error = driver_error();
  *count = error == cudaSuccess ? visible_count() : 0;
  set_last_error(error);
  return error;
}

cudaError_t cudaGetDevice(int* device) {
  *device = current_device();
  return driver_error();
}

cudaError_t cudaSetDevice(int device) {
  if (const cudaError_t error = driver_error(); error != cudaSuccess) {
    return error;
  }
  if (device < 0 || device >= visible_count()) {
    set_last_error(cudaErrorInvalidDevice);
    return cudaErrorInvalidDevice;
  }
  set_current_device(device);
  use_device(device); // from CUDA 12 on it makes the context
  return earlier_error();
}

cudaError_t cudaGetDeviceProperties(cudaDeviceProp* all, int device) {
  if (device < 0 || device >= visible_count()) {
    return cudaErrorInvalidDevice;
  }
  std::memset(all, 0, sizeof *all);
  std::snprintf(all->name, sizeof all->name, "Fake GPU");
  all->totalGlobalMem = static_cast<std::size_t>(settings().memory);
  all->major = settings().major;
  all->minor = settings().minor;
  all->multiProcessorCount = kProcessors;
  all->maxThreadsPerBlock = kThreadsPerBlock;
  all->maxThreadsPerMultiProcessor = kThreadsPerProcessor;
  all->warpSize = 32;
  all->sharedMemPerBlock = kSharedPerBlock;
  all->sharedMemPerBlockOptin = kSharedPerBlockAtMost;
  all->sharedMemPerMultiprocessor = kSharedPerProcessor;
  all->regsPerBlock = kRegisters;
  all->regsPerMultiprocessor = kRegisters;
  all->maxGridSize[0] = kGridX;
  all->maxGridSize[1] = all->maxGridSize[2] = kGridY;
  all->maxThreadsDim[0] = all->maxThreadsDim[1] = kThreadsPerBlock;
  all->maxThreadsDim[2] = kBlockZ;
  all->l2CacheSize = 50 << 20;
  all->unifiedAddressing = 1;
  all->canMapHostMemory = 1;
  all->maxBlocksPerMultiProcessor = 32;
  all->pciBusID = settings().visible[static_cast<std::size_t>(device)];
  return cudaSuccess;
}

cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr what, int) {
  switch (what) {
    case cudaDevAttrComputeCapabilityMajor:
      *value = settings().major;
      break;
    case cudaDevAttrComputeCapabilityMinor:
      *value = settings().minor;
      break;
    case cudaDevAttrMultiProcessorCount:
      *value = kProcessors;
      break;
    case cudaDevAttrMaxThreadsPerBlock:
      *value = kThreadsPerBlock;
      break;
    case cudaDevAttrMaxThreadsPerMultiProcessor:
      *value = kThreadsPerProcessor;
      break;
    case cudaDevAttrWarpSize:
      *value = 32;
      break;
    case cudaDevAttrMaxSharedMemoryPerBlock:
      *value = kSharedPerBlock;
      break;
    case cudaDevAttrMaxSharedMemoryPerBlockOptin:
      *value = kSharedPerBlockAtMost;
      break;
    case cudaDevAttrMaxSharedMemoryPerMultiprocessor:
      *value = kSharedPerProcessor;
      break;
    case cudaDevAttrMaxGridDimX:
      *value = kGridX;
      break;
    default:
      *value = 0;
  }
  return cudaSuccess;
}

cudaError_t cudaDeviceGetPCIBusId(char* text, int length, int device) {
  std::snprintf(
      text,
      static_cast<std::size_t>(length),
      "0000:%02x:00.0",
      settings().visible[static_cast<std::size_t>(device)]);
  return cudaSuccess;
}

cudaError_t cudaDeviceGetStreamPriorityRange(int* least, int* greatest) {
  *least = 0;
  *greatest = -5;
  return cudaSuccess;
}

cudaError_t cudaDeviceCanAccessPeer(int* can, int, int) {
  *can = 1;
  return cudaSuccess;
}

cudaError_t cudaDeviceEnablePeerAccess(int, unsigned) {
  return cudaSuccess;
}

cudaError_t cudaDriverGetVersion(int* version) {
  *version = settings().driver;
  return cudaSuccess;
}

cudaError_t cudaRuntimeGetVersion(int* version) {
  *version = CUDART_VERSION;
  return cudaSuccess;
}

} // extern "C"
