// cuDNN: convolutions and attention through descriptors of its backend, of
// which an attribute that was set can be read. (Batch normalisation has a
// file.)

#include <cudnn.h>

#include <algorithm>
#include <cstring>

#include "cudnn_descriptor.h"
#include "current.h"
#include "faults.h"
#include "memory.h"
#include "order.h"
#include "record.h"

namespace vitrain::fake_cuda {
namespace {

struct Handle {
  cudaStream_t stream = nullptr;
};

std::size_t size_of(cudnnBackendAttributeType_t type) {
  switch (type) {
    case CUDNN_TYPE_BOOLEAN:
    case CUDNN_TYPE_CHAR:
      return 1;
    case CUDNN_TYPE_INT64:
    case CUDNN_TYPE_DOUBLE:
    case CUDNN_TYPE_VOID_PTR:
    case CUDNN_TYPE_HANDLE:
    case CUDNN_TYPE_BACKEND_DESCRIPTOR:
    case CUDNN_TYPE_FRACTION:
      return 8;
    default:
      return 4; // enumerations, int32, float
  }
}

// Number of values of an attribute that was never set: 0, and one engine for
// lists of engines.
std::int64_t default_count(cudnnBackendAttributeName_t name) {
  switch (name) {
    case CUDNN_ATTR_ENGINEHEUR_RESULTS:
    case CUDNN_ATTR_EXECUTION_PLAN_WORKSPACE_SIZE:
    case CUDNN_ATTR_OPERATIONGRAPH_ENGINE_GLOBAL_COUNT:
    case CUDNN_ATTR_ENGINECFG_ENGINE:
    case CUDNN_ATTR_ENGINECFG_SHARED_MEMORY_USED:
    case CUDNN_ATTR_ENGINE_GLOBAL_INDEX:
      return 1;
    default:
      return 0;
  }
}

cudnnStatus_t executed() {
  count(Count::kPlans);
  return launch_error(current_device()) == cudaSuccess
      ? CUDNN_STATUS_SUCCESS
      : CUDNN_STATUS_EXECUTION_FAILED;
}

// Creates a descriptor that is never read.
template <typename Made>
cudnnStatus_t some_handle(Made* made) {
  static char place;
  *made = reinterpret_cast<Made>(&place);
  return CUDNN_STATUS_SUCCESS;
}

Handle& handle_of(cudnnHandle_t handle) {
  return *reinterpret_cast<Handle*>(handle);
}

// Scalars are passed from the host.
void use_operand(
    cudaStream_t stream,
    const void* operand,
    const Extent& extent) {
  switch (operand == nullptr ? MemoryKind::kPageable : kind_of(operand)) {
    case MemoryKind::kPageable:
      break;
    case MemoryKind::kPinned:
      violation("a plan of cuDNN is given pinned memory");
      break;
    case MemoryKind::kDevice:
      expect_on_device(operand, extent.bytes, "a plan of cuDNN");
      use_in_order(
          stream, {operand, extent.bytes, extent.written}, "a plan of cuDNN");
      break;
  }
}

} // namespace

cudaStream_t stream_of(cudnnHandle_t handle) {
  return handle_of(handle).stream;
}

} // namespace vitrain::fake_cuda

using namespace vitrain::fake_cuda;

extern "C" {

std::size_t cudnnGetVersion() {
  return CUDNN_VERSION;
}

std::size_t cudnnGetCudartVersion() {
  return CUDART_VERSION;
}

const char* cudnnGetErrorString(cudnnStatus_t status) {
  return status == CUDNN_STATUS_SUCCESS ? "CUDNN_STATUS_SUCCESS"
                                        : "another status of cuDNN";
}

void cudnnGetLastErrorString(char* text, std::size_t length) {
  if (length > 0) {
    *text = '\0';
  }
}

cudnnStatus_t cudnnCreate(cudnnHandle_t* handle) {
  use_device(current_device());
  *handle = reinterpret_cast<cudnnHandle_t>(new Handle);
  return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t cudnnSetStream(cudnnHandle_t handle, cudaStream_t stream) {
  handle_of(handle).stream = stream;
  return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t cudnnGetStream(cudnnHandle_t handle, cudaStream_t* stream) {
  *stream = stream_of(handle);
  return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t cudnnCreateTensorDescriptor(cudnnTensorDescriptor_t* made) {
  return some_handle(made);
}

cudnnStatus_t cudnnCreateFilterDescriptor(cudnnFilterDescriptor_t* made) {
  return some_handle(made);
}

cudnnStatus_t cudnnCreateActivationDescriptor(
    cudnnActivationDescriptor_t* made) {
  return some_handle(made);
}

cudnnStatus_t cudnnBackendCreateDescriptor(
    cudnnBackendDescriptorType_t kind,
    cudnnBackendDescriptor_t* descriptor) {
  *descriptor = new Descriptor{.kind = kind};
  return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t cudnnBackendDestroyDescriptor(
    cudnnBackendDescriptor_t descriptor) {
  delete static_cast<Descriptor*>(descriptor);
  return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t cudnnBackendFinalize(cudnnBackendDescriptor_t descriptor) {
  static_cast<Descriptor*>(descriptor)->gather_tensors();
  return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t cudnnBackendSetAttribute(
    cudnnBackendDescriptor_t descriptor,
    cudnnBackendAttributeName_t name,
    cudnnBackendAttributeType_t type,
    std::int64_t count,
    const void* values) {
  auto* const all = static_cast<Descriptor*>(descriptor);
  const char* const begin = static_cast<const char*>(values);
  all->attributes[name] = {
      type,
      count,
      {begin, begin + static_cast<std::size_t>(count) * size_of(type)}};
  return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t cudnnBackendGetAttribute(
    cudnnBackendDescriptor_t descriptor,
    cudnnBackendAttributeName_t name,
    cudnnBackendAttributeType_t type,
    std::int64_t room,
    std::int64_t* count,
    void* values) {
  const auto* const all = static_cast<const Descriptor*>(descriptor);
  const auto set = all->attributes.find(name);
  const std::int64_t there =
      set == all->attributes.end() ? default_count(name) : set->second.count;
  if (count != nullptr) {
    *count = there;
  }
  if (values == nullptr || room == 0) {
    return CUDNN_STATUS_SUCCESS;
  }
  if (set != all->attributes.end()) {
    std::memcpy(
        values,
        set->second.values.data(),
        static_cast<std::size_t>(std::min(room, there)) * size_of(type));
  } else if (type == CUDNN_TYPE_BACKEND_DESCRIPTOR) {
    // Descriptors that are asked for are the caller's own: they stay as they
    // are, of the same tensors.
    for (std::int64_t i = 0; i < std::min(room, there); ++i) {
      static_cast<Descriptor*>(static_cast<void**>(values)[i])->tensors =
          all->tensors;
    }
  } else if (there > 0) {
    std::memset(values, 0, size_of(type));
  }
  return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t cudnnBackendExecute(
    cudnnHandle_t handle,
    cudnnBackendDescriptor_t plan,
    cudnnBackendDescriptor_t pack) {
  const auto& tensors = static_cast<const Descriptor*>(plan)->tensors;
  const auto* const variants = static_cast<const Descriptor*>(pack);
  const auto pointers =
      variants->get<void*>(CUDNN_ATTR_VARIANT_PACK_DATA_POINTERS);
  const auto ids =
      variants->get<std::int64_t>(CUDNN_ATTR_VARIANT_PACK_UNIQUE_IDS);
  for (std::size_t i = 0; i < pointers.size() && i < ids.size(); ++i) {
    const auto found = tensors.find(ids[i]);
    if (found == tensors.end()) {
      violation("a plan of cuDNN is given a tensor that it does not have");
    } else {
      use_operand(stream_of(handle), pointers[i], found->second);
    }
  }
  return executed();
}

} // extern "C"
