#pragma once

#include <cstdint>
#include <string>

// Counts of a process's calls, and its violations. Written as JSON to
// FAKE_CUDA_FOLDER when the process ends.
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
// Returns the kernel's mangled name; empty if unknown.
const char* kernel_name(const void* function);

// Prints a violation to stderr and continues; tests expect none.
void violation(const std::string& text);
// A violation that would hang or crash with real devices: ends the process.
[[noreturn]] void fatal_violation(const std::string& text);

} // namespace vitrain::fake_cuda
