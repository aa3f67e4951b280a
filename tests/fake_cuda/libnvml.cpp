// libnvidia-ml.so.1: the physical devices, whatever is visible.

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <string>

#include "settings.h"

namespace vitrain::fake_cuda {
namespace {

constexpr int kSuccess = 0;
constexpr int kNotSupported = 3;
constexpr int kNotFound = 6;

struct Memory {
  unsigned long long total;
  unsigned long long free;
  unsigned long long used;
};

// A device's handle is its number, from 1; a slice's has its own number, from
// 1, above that.
constexpr int kSliceBits = 16;

int handle_number(const void* handle) {
  return static_cast<int>(reinterpret_cast<std::uintptr_t>(handle));
}

int number_of(const void* handle) {
  return handle_number(handle) % (1 << kSliceBits) - 1;
}

// -1: a whole device.
int slice_of(const void* handle) {
  return handle_number(handle) / (1 << kSliceBits) - 1;
}

int write(char* text, unsigned length, const char* value) {
  std::snprintf(text, length, "%s", value);
  return kSuccess;
}

} // namespace
} // namespace vitrain::fake_cuda

using namespace vitrain::fake_cuda;

extern "C" {

int nvmlInit_v2() {
  return kSuccess;
}

int nvmlShutdown() {
  return kSuccess;
}

const char* nvmlErrorString(int) {
  return "an error of the fake NVML";
}

int nvmlSystemGetDriverVersion(char* text, unsigned length) {
  // The first drivers of CUDA 13 and 12.
  return write(text, length, settings().driver >= 13000 ? "580.65" : "535.54");
}

int nvmlDeviceGetCount_v2(unsigned* count) {
  *count = static_cast<unsigned>(settings().physical_devices);
  return kSuccess;
}

int nvmlDeviceGetHandleByIndex_v2(unsigned index, void** device) {
  *device = reinterpret_cast<void*>(static_cast<std::uintptr_t>(index) + 1);
  return kSuccess;
}

// "0000:0N:00.0", as device.cpp has it.
int nvmlDeviceGetHandleByPciBusId_v2(const char* bus, void** device) {
  unsigned number = 0;
  if (std::sscanf(bus, "%*x:%x", &number) != 1) {
    return kNotSupported;
  }
  return nvmlDeviceGetHandleByIndex_v2(number, device);
}

// No other process is there.
int nvmlDeviceGetComputeRunningProcesses(void*, unsigned* count, void*) {
  *count = 0;
  return kSuccess;
}

int nvmlSystemGetCudaDriverVersion_v2(int* version) {
  *version = settings().driver;
  return kSuccess;
}

int nvmlDeviceGetNvLinkRemoteDeviceType(void*, unsigned, void*) {
  return kNotSupported;
}

int nvmlDeviceGetNvLinkRemotePciInfo_v2(void*, unsigned, void*) {
  return kNotSupported;
}

int nvmlDeviceGetName(void* device, char* text, unsigned length) {
  return write(
      text, length, slice_of(device) < 0 ? "Fake GPU" : "Fake GPU MIG 1g.10gb");
}

int nvmlDeviceGetUUID(void* device, char* text, unsigned length) {
  const int slice = slice_of(device);
  const std::string uuid = slice < 0 ? device_uuid(number_of(device))
                                     : slice_uuid(number_of(device), slice);
  return write(text, length, uuid.c_str());
}

int nvmlDeviceGetMemoryInfo(void*, Memory* memory) {
  const auto total = static_cast<unsigned long long>(settings().memory);
  *memory = {.total = total, .free = total, .used = 0};
  return kSuccess;
}

int nvmlDeviceGetCudaComputeCapability(void*, int* major, int* minor) {
  *major = settings().major;
  *minor = settings().minor;
  return kSuccess;
}

int nvmlDeviceGetMigMode(void*, unsigned* now, unsigned* after_reset) {
  *now = *after_reset = settings().slices > 0 ? 1 : 0;
  return kSuccess;
}

int nvmlDeviceGetMaxMigDeviceCount(void*, unsigned* count) {
  *count = static_cast<unsigned>(settings().slices);
  return kSuccess;
}

int nvmlDeviceGetMigDeviceHandleByIndex(
    void* device,
    unsigned index,
    void** slice) {
  if (index >= static_cast<unsigned>(settings().slices)) {
    return kNotFound;
  }
  *slice = reinterpret_cast<void*>(
      static_cast<std::uintptr_t>(handle_number(device)) +
      ((static_cast<std::uintptr_t>(index) + 1) << kSliceBits));
  return kSuccess;
}

} // extern "C"
