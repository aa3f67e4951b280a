#pragma once

#include <cstddef>

namespace vitrain::fake_cuda {

enum class MemoryKind { kPageable, kPinned, kDevice };

// Where memory is, by the ranges that were allocated.
MemoryKind kind_of(const void* memory);
// The device of device memory; -1 for other memory.
int device_of(const void* memory);
// A violation unless all of it lies in one allocation on a device.
void expect_on_device(const void* memory, std::size_t bytes, const char* what);

} // namespace vitrain::fake_cuda
