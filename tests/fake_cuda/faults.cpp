#include "faults.h"

#include <cuda_runtime_api.h>

#include <atomic>

namespace vitrain::fake_cuda {
namespace {

std::atomic<std::int64_t> fault_calls{0};
std::atomic<int> broken{cudaSuccess};
thread_local cudaError_t last_error = cudaSuccess;

} // namespace

bool fault_happens(Fault fault, int device) {
  const Settings& all = settings();
  if (all.fault != fault || all.fault_device != device) {
    return false;
  }
  const std::int64_t call = ++fault_calls;
  return fault == Fault::kOutOfMemory ? call >= all.fault_call
                                      : call == all.fault_call;
}

void set_last_error(cudaError_t error) {
  if (error != cudaSuccess) {
    last_error = error;
  }
}

cudaError_t launch_error(int device) {
  if (fault_happens(Fault::kSticky, device)) {
    broken = cudaErrorIllegalAddress;
  } else if (fault_happens(Fault::kLost, device)) {
    broken = cudaErrorDevicesUnavailable;
  }
  return earlier_error();
}

cudaError_t earlier_error() {
  const auto error = static_cast<cudaError_t>(broken.load());
  set_last_error(error);
  return error;
}

} // namespace vitrain::fake_cuda

using namespace vitrain::fake_cuda;

extern "C" {

cudaError_t cudaGetLastError() {
  earlier_error();
  const cudaError_t error = last_error;
  last_error = cudaSuccess;
  return error;
}

cudaError_t cudaPeekAtLastError() {
  earlier_error();
  return last_error;
}

const char* cudaGetErrorName(cudaError_t error) {
  switch (error) {
    case cudaSuccess:
      return "cudaSuccess";
    case cudaErrorMemoryAllocation:
      return "cudaErrorMemoryAllocation";
    case cudaErrorIllegalAddress:
      return "cudaErrorIllegalAddress";
    case cudaErrorDevicesUnavailable:
      return "cudaErrorDevicesUnavailable";
    case cudaErrorInsufficientDriver:
      return "cudaErrorInsufficientDriver";
    case cudaErrorNoDevice:
      return "cudaErrorNoDevice";
    case cudaErrorNotReady:
      return "cudaErrorNotReady";
    case cudaErrorInvalidDevice:
      return "cudaErrorInvalidDevice";
    case cudaErrorInvalidValue:
      return "cudaErrorInvalidValue";
    case cudaErrorStreamCaptureUnsupported:
      return "cudaErrorStreamCaptureUnsupported";
    default:
      return "another error";
  }
}

const char* cudaGetErrorString(cudaError_t error) {
  switch (error) {
    case cudaErrorMemoryAllocation:
      return "out of memory";
    case cudaErrorIllegalAddress:
      return "an illegal memory access was encountered";
    case cudaErrorDevicesUnavailable:
      return "CUDA-capable device(s) is/are busy or unavailable";
    case cudaErrorInsufficientDriver:
      return "CUDA driver version is insufficient for CUDA runtime version";
    case cudaErrorNoDevice:
      return "no CUDA-capable device is detected";
    default:
      return cudaGetErrorName(error);
  }
}

} // extern "C"
