#pragma once

#include <cstdint>
#include <string>

// What a process did, counted, and what it must not have done. Written as JSON
// to FAKE_CUDA_FOLDER when the process ends.
namespace vitrain::fake_cuda {

enum class Count {
  kLaunches, // kernels
  kProducts, // calls of cuBLAS and cuBLASLt that compute
  kPlans, // executed plans of cuDNN
  kWaits, // the host waited for a stream, an event or a device
  kHostToDevice,
  kDeviceToHost,
  kDeviceToDevice,
  kPageable, // copies of the three kinds from or to pageable memory
  kHostToDeviceBytes,
  kFills, // memset
  kAllocations, // cudaMalloc
  kPinnedAllocations,
  kCollectives,
  kGraphLaunches,
  kEnd,
};

void count(Count what, std::int64_t by = 1);
// A kernel; one of FAKE_CUDA_STEP ends a step.
void count_launch(const void* function);
// The process worked on this device: a context on it has been made.
void use_device(int device);

void name_kernel(const void* function, const char* name);
// Its name, mangled; empty where it has none.
const char* kernel_name(const void* function);

// Says on stderr what rule was broken, and goes on; tests want none.
void violation(const std::string& text);
// The same for what would hang or crash with real devices.
[[noreturn]] void fatal_violation(const std::string& text);

} // namespace vitrain::fake_cuda
