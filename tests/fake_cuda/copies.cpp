// Copies and fills.

#include <cuda_runtime_api.h>

#include <cstring>

#include "capture.h"
#include "current.h"
#include "faults.h"
#include "memory.h"
#include "order.h"
#include "record.h"
#include "streams.h"

namespace vitrain::fake_cuda {
namespace {

// Copies between the device and pageable memory are staged by the driver: they
// make the host wait, and capture forbids them.
void copy_pageable(
    cudaStream_t stream,
    void* host,
    const void* device,
    std::size_t bytes,
    bool to_host) {
  expect_not_captured(stream, "a copy of pageable memory");
  use_in_order(stream, {device, bytes, /*writes=*/!to_host}, "a copy");
  count(Count::kPageable);
  if (to_host) {
    wait_for_stream(stream);
    std::memset(host, 0, bytes);
  } else if (bytes > 0) {
    // Memory that is not there is found out here.
    static_cast<void>(*static_cast<volatile char*>(host));
    static_cast<void>(static_cast<volatile char*>(host)[bytes - 1]);
  }
}

void copy_host(
    cudaStream_t stream,
    void* host,
    void* device,
    std::size_t bytes,
    bool to_host) {
  expect_on_device(device, bytes, "a copy");
  count(to_host ? Count::kDeviceToHost : Count::kHostToDevice);
  if (!to_host) {
    count(Count::kHostToDeviceBytes, static_cast<std::int64_t>(bytes));
  }
  if (kind_of(host) == MemoryKind::kPageable) {
    copy_pageable(stream, host, device, bytes, to_host);
  } else {
    enqueue_copy(stream, host, device, bytes, to_host);
  }
}

cudaError_t
copy(void* to, const void* from, std::size_t bytes, cudaStream_t stream) {
  if (const cudaError_t error = earlier_error(); error != cudaSuccess) {
    return error;
  }
  const bool to_device = kind_of(to) == MemoryKind::kDevice;
  const bool from_device = kind_of(from) == MemoryKind::kDevice;
  void* const source = const_cast<void*>(from);
  if (to_device && from_device) {
    expect_on_device(to, bytes, "a copy");
    expect_on_device(from, bytes, "a copy");
    use_in_order(stream, {to, bytes, /*writes=*/true}, "a copy");
    use_in_order(stream, {from, bytes, /*writes=*/false}, "a copy");
    count(Count::kDeviceToDevice);
  } else if (to_device) {
    copy_host(stream, source, to, bytes, /*to_host=*/false);
  } else if (from_device) {
    copy_host(stream, to, source, bytes, /*to_host=*/true);
  } else {
    std::memcpy(to, from, bytes);
  }
  return cudaSuccess;
}

cudaError_t fill(void* memory, std::size_t bytes, cudaStream_t stream) {
  expect_on_device(memory, bytes, "a fill");
  use_in_order(stream, {memory, bytes, /*writes=*/true}, "a fill");
  count(Count::kFills);
  return earlier_error();
}

} // namespace
} // namespace vitrain::fake_cuda

using namespace vitrain::fake_cuda;

extern "C" {

cudaError_t
cudaMemcpy(void* to, const void* from, std::size_t bytes, cudaMemcpyKind) {
  expect_no_capture("cudaMemcpy");
  const cudaError_t error = copy(to, from, bytes, nullptr);
  count(Count::kWaits);
  wait_for_stream(nullptr);
  return error;
}

cudaError_t cudaMemcpyAsync(
    void* to,
    const void* from,
    std::size_t bytes,
    cudaMemcpyKind,
    cudaStream_t stream) {
  return copy(to, from, bytes, stream);
}

cudaError_t cudaMemcpyPeerAsync(
    void* to,
    int,
    const void* from,
    int,
    std::size_t bytes,
    cudaStream_t stream) {
  return copy(to, from, bytes, stream);
}

cudaError_t cudaMemset(void* memory, int, std::size_t bytes) {
  return fill(memory, bytes, nullptr);
}

cudaError_t
cudaMemsetAsync(void* memory, int, std::size_t bytes, cudaStream_t stream) {
  return fill(memory, bytes, stream);
}

cudaError_t cudaMemcpyToSymbol(
    const void*,
    const void*,
    std::size_t,
    std::size_t,
    cudaMemcpyKind) {
  return earlier_error();
}

cudaError_t cudaGetSymbolAddress(void** address, const void* symbol) {
  *address = const_cast<void*>(symbol);
  return cudaSuccess;
}

} // extern "C"
