// cuDNN: convolutions and attention through descriptors of its backend, of
// which an attribute that was set can be read. (Batch normalisation has a
// file.)

#include <cudnn.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <vector>

#include "current.h"
#include "faults.h"
#include "memory.h"
#include "record.h"

namespace vitrain::fake_cuda {
namespace {

// cudnnBackendDescriptor_t points to one.
struct Descriptor {
  cudnnBackendDescriptorType_t kind;
  std::map<cudnnBackendAttributeName_t, std::vector<char>> attributes;
  std::map<cudnnBackendAttributeName_t, std::int64_t> counts;
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

// Of what was never set: numbers are 0, of lists of engines there is one.
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

template <typename Handle>
cudnnStatus_t some_handle(Handle* handle) {
  static char place;
  *handle = reinterpret_cast<Handle>(&place);
  return CUDNN_STATUS_SUCCESS;
}

} // namespace
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
  return some_handle(handle);
}

cudnnStatus_t cudnnGetStream(cudnnHandle_t, cudaStream_t* stream) {
  *stream = nullptr;
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
  *descriptor = new Descriptor{.kind = kind, .attributes = {}, .counts = {}};
  return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t cudnnBackendDestroyDescriptor(
    cudnnBackendDescriptor_t descriptor) {
  delete static_cast<Descriptor*>(descriptor);
  return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t cudnnBackendFinalize(cudnnBackendDescriptor_t) {
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
  all->attributes[name].assign(
      begin, begin + static_cast<std::size_t>(count) * size_of(type));
  all->counts[name] = count;
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
      set == all->attributes.end() ? default_count(name) : all->counts.at(name);
  if (count != nullptr) {
    *count = there;
  }
  if (values == nullptr || room == 0) {
    return CUDNN_STATUS_SUCCESS;
  }
  if (set != all->attributes.end()) {
    std::memcpy(
        values,
        set->second.data(),
        static_cast<std::size_t>(std::min(room, there)) * size_of(type));
  } else if (type != CUDNN_TYPE_BACKEND_DESCRIPTOR && there > 0) {
    // Descriptors that are asked for are the caller's own, and stay as they
    // are.
    std::memset(values, 0, size_of(type));
  }
  return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t cudnnBackendExecute(
    cudnnHandle_t,
    cudnnBackendDescriptor_t,
    cudnnBackendDescriptor_t pack) {
  const auto* const variants = static_cast<const Descriptor*>(pack);
  const auto pointers =
      variants->attributes.find(CUDNN_ATTR_VARIANT_PACK_DATA_POINTERS);
  if (pointers != variants->attributes.end()) {
    std::vector<void*> operands(pointers->second.size() / sizeof(void*));
    std::memcpy(
        operands.data(), pointers->second.data(), pointers->second.size());
    for (const void* operand : operands) {
      // Scalars are passed from the host.
      if (operand != nullptr && place_of(operand) == Place::kPinned) {
        violation("a plan of cuDNN is given pinned memory");
      }
    }
  }
  return executed();
}

} // extern "C"
