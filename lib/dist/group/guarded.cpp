#include "dist/group/guarded.h"

#include <new>
#include <string_view>

#include <c10/util/Exception.h>

namespace vitrain::dist {

bool is_out_of_memory(const std::exception& error) {
  if (const auto* own = dynamic_cast<const Error*>(&error)) {
    return own->code() == ExitCode::kOutOfMemory;
  }
  if (dynamic_cast<const std::bad_alloc*>(&error) != nullptr ||
      dynamic_cast<const c10::OutOfMemoryError*>(&error) != nullptr) {
    return true;
  }
  // Error code of CUDA memory outside torch's GPU allocator: contexts,
  // libraries, and all memory if PYTORCH_NO_CUDA_MEMORY_CACHING disables the
  // allocator.
  constexpr int kCudaErrorMemoryAllocation = 2;
  const auto* device = dynamic_cast<const c10::AcceleratorError*>(&error);
  if (device != nullptr &&
      device->get_error_code() == kCudaErrorMemoryAllocation) {
    return true;
  }
  // c10's CPU allocator throws a plain c10::Error.
  const std::string_view text = error.what();
  return text.find("DefaultCPUAllocator: can't allocate memory") !=
      std::string_view::npos ||
      text.find("not enough memory") != std::string_view::npos ||
      text.find("CUBLAS_STATUS_ALLOC_FAILED") != std::string_view::npos ||
      text.find("CUDNN_STATUS_ALLOC_FAILED") != std::string_view::npos;
}

} // namespace vitrain::dist
