// Memory. Device memory is inaccessible address space: a host access ends by
// SIGSEGV, as with a real device.

#include "memory.h"

#include <cuda_runtime_api.h>
#include <sys/mman.h>

#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>
#include <string>

#include "capture.h"
#include "current.h"
#include "faults.h"
#include "order.h"
#include "record.h"
#include "streams.h"

namespace vitrain::fake_cuda {
namespace {

constexpr std::size_t kPage = 4096;
// A gap after each allocation, so that an overrun does not hit a neighbour.
constexpr std::size_t kGap = std::size_t{2} << 20;

struct Range {
  std::size_t bytes;
  MemoryKind kind;
  int device;
};

std::mutex mutex;

std::map<const char*, Range>& ranges() {
  static auto* const all = new std::map<const char*, Range>;
  return *all;
}

std::size_t whole_pages(std::size_t bytes) {
  return (bytes + kPage - 1) / kPage * kPage;
}

// The range that an address lies in; end() for none. The caller holds the
// mutex.
std::map<const char*, Range>::iterator find(const void* memory) {
  const char* const address = static_cast<const char*>(memory);
  auto range = ranges().upper_bound(address);
  if (range == ranges().begin()) {
    return ranges().end();
  }
  --range;
  return address < range->first + range->second.bytes ? range : ranges().end();
}

bool take(const void* memory, MemoryKind kind, Range& range) {
  const std::scoped_lock lock(mutex);
  const auto found = ranges().find(static_cast<const char*>(memory));
  if (found == ranges().end() || found->second.kind != kind) {
    return false;
  }
  range = found->second;
  ranges().erase(found);
  return true;
}

} // namespace

MemoryKind kind_of(const void* memory) {
  const std::scoped_lock lock(mutex);
  const auto range = find(memory);
  return range == ranges().end() ? MemoryKind::kPageable : range->second.kind;
}

int device_of(const void* memory) {
  const std::scoped_lock lock(mutex);
  const auto range = find(memory);
  return range == ranges().end() || range->second.kind != MemoryKind::kDevice
      ? -1
      : range->second.device;
}

void expect_on_device(const void* memory, std::size_t bytes, const char* what) {
  if (bytes == 0) {
    return;
  }
  const std::scoped_lock lock(mutex);
  const auto range = find(memory);
  if (range == ranges().end() || range->second.kind != MemoryKind::kDevice) {
    violation(std::string(what) + " is given memory that is on no device");
  } else if (
      static_cast<const char*>(memory) + bytes >
      range->first + range->second.bytes) {
    violation(
        std::string(what) + " goes beyond the allocation that it begins in");
  }
}

} // namespace vitrain::fake_cuda

using namespace vitrain::fake_cuda;

extern "C" {

cudaError_t cudaMalloc(void** memory, std::size_t bytes) {
  expect_no_capture("cudaMalloc");
  const int device = current_device();
  use_device(device);
  count(Count::kAllocations);
  if (const cudaError_t error = earlier_error(); error != cudaSuccess) {
    return error;
  }
  if (fault_happens(Fault::kOutOfMemory, device)) {
    set_last_error(cudaErrorMemoryAllocation);
    return cudaErrorMemoryAllocation;
  }
  const std::size_t pages = whole_pages(bytes);
  void* const mapped = ::mmap(
      nullptr,
      pages + kGap,
      PROT_NONE,
      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE,
      -1,
      0);
  if (mapped == MAP_FAILED) {
    return cudaErrorMemoryAllocation;
  }
  const std::scoped_lock lock(mutex);
  ranges()[static_cast<const char*>(mapped)] = {
      pages, MemoryKind::kDevice, device};
  *memory = mapped;
  return cudaSuccess;
}

cudaError_t cudaFree(void* memory) {
  Range range{};
  if (memory == nullptr) {
    return cudaSuccess;
  }
  expect_no_capture("cudaFree");
  if (!take(memory, MemoryKind::kDevice, range)) {
    violation("cudaFree of what cudaMalloc did not return");
    return cudaErrorInvalidValue;
  }
  forget_memory(memory, range.bytes);
  ::munmap(memory, range.bytes + kGap);
  return cudaSuccess;
}

cudaError_t cudaHostAlloc(void** memory, std::size_t bytes, unsigned) {
  count(Count::kPinnedAllocations);
  *memory = std::aligned_alloc(kPage, whole_pages(bytes));
  if (*memory == nullptr) {
    return cudaErrorMemoryAllocation;
  }
  const std::scoped_lock lock(mutex);
  ranges()[static_cast<const char*>(*memory)] = {
      bytes, MemoryKind::kPinned, -1};
  return cudaSuccess;
}

cudaError_t cudaFreeHost(void* memory) {
  Range range{};
  finish_all_copies(); // it waits for the device, as the real one does
  if (!take(memory, MemoryKind::kPinned, range)) {
    violation("cudaFreeHost of what cudaHostAlloc did not return");
    return cudaErrorInvalidValue;
  }
  std::free(memory);
  return cudaSuccess;
}

cudaError_t cudaHostRegister(void* memory, std::size_t bytes, unsigned) {
  const std::scoped_lock lock(mutex);
  ranges()[static_cast<const char*>(memory)] = {bytes, MemoryKind::kPinned, -1};
  return cudaSuccess;
}

cudaError_t cudaHostUnregister(void* memory) {
  Range range{};
  return take(memory, MemoryKind::kPinned, range)
      ? cudaSuccess
      : cudaErrorHostMemoryNotRegistered;
}

cudaError_t cudaMemGetInfo(std::size_t* free, std::size_t* total) {
  *total = static_cast<std::size_t>(settings().memory);
  *free = *total - (std::size_t{1} << 30); // approximate size of a context
  return earlier_error();
}

cudaError_t cudaPointerGetAttributes(
    cudaPointerAttributes* attributes,
    const void* memory) {
  std::memset(attributes, 0, sizeof *attributes);
  const MemoryKind kind = kind_of(memory);
  attributes->type = kind == MemoryKind::kDevice ? cudaMemoryTypeDevice
      : kind == MemoryKind::kPinned              ? cudaMemoryTypeHost
                                                 : cudaMemoryTypeUnregistered;
  attributes->device = device_of(memory);
  attributes->devicePointer = const_cast<void*>(memory);
  attributes->hostPointer =
      kind == MemoryKind::kPinned ? const_cast<void*>(memory) : nullptr;
  return cudaSuccess;
}

} // extern "C"
