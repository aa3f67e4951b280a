#include "cudnn_descriptor.h"

#include <cstring>

namespace vitrain::fake_cuda {
namespace {

std::size_t size_of(cudnnDataType_t type) {
  switch (type) {
    case CUDNN_DATA_DOUBLE:
    case CUDNN_DATA_INT64:
      return 8;
    case CUDNN_DATA_FLOAT:
    case CUDNN_DATA_INT32:
      return 4;
    case CUDNN_DATA_HALF:
    case CUDNN_DATA_BFLOAT16:
      return 2;
    default:
      return 1; // at least
  }
}

// Whether an operation writes the tensor of this attribute.
bool is_output(cudnnBackendAttributeName_t name) {
  switch (name) {
    case CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_Y:
    case CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_DX:
    case CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_DW:
    case CUDNN_ATTR_OPERATION_POINTWISE_YDESC:
    case CUDNN_ATTR_OPERATION_POINTWISE_DXDESC:
    case CUDNN_ATTR_OPERATION_MATMUL_CDESC:
    case CUDNN_ATTR_OPERATION_REDUCTION_YDESC:
    case CUDNN_ATTR_OPERATION_RESHAPE_YDESC:
    case CUDNN_ATTR_OPERATION_RNG_YDESC:
    case CUDNN_ATTR_OPERATION_SDPA_FWD_ODESC:
    case CUDNN_ATTR_OPERATION_SDPA_FWD_STATSDESC:
    case CUDNN_ATTR_OPERATION_SDPA_BWD_DQDESC:
    case CUDNN_ATTR_OPERATION_SDPA_BWD_DKDESC:
    case CUDNN_ATTR_OPERATION_SDPA_BWD_DVDESC:
      return true;
    default:
      return false;
  }
}

std::size_t bytes_of(const Descriptor& tensor) {
  const auto sizes = tensor.get<std::int64_t>(CUDNN_ATTR_TENSOR_DIMENSIONS);
  const auto strides = tensor.get<std::int64_t>(CUDNN_ATTR_TENSOR_STRIDES);
  const auto types = tensor.get<cudnnDataType_t>(CUDNN_ATTR_TENSOR_DATA_TYPE);
  std::int64_t last = 0; // number
  for (std::size_t i = 0; i < sizes.size() && i < strides.size(); ++i) {
    last += (sizes[i] - 1) * strides[i];
  }
  return static_cast<std::size_t>(last + 1) *
      (types.empty() ? 1 : size_of(types[0]));
}

} // namespace

template <typename Value>
std::vector<Value> Descriptor::get(cudnnBackendAttributeName_t name) const {
  const auto found = attributes.find(name);
  if (found == attributes.end()) {
    return {};
  }
  std::vector<Value> values(found->second.values.size() / sizeof(Value));
  std::memcpy(
      values.data(),
      found->second.values.data(),
      values.size() * sizeof(Value));
  return values;
}

template std::vector<std::int64_t> Descriptor::get(
    cudnnBackendAttributeName_t) const;
template std::vector<void*> Descriptor::get(cudnnBackendAttributeName_t) const;

void Descriptor::gather_tensors() {
  for (const auto& [name, attribute] : attributes) {
    if (attribute.type != CUDNN_TYPE_BACKEND_DESCRIPTOR) {
      continue;
    }
    for (const void* pointer : get<void*>(name)) {
      const auto* const part = static_cast<const Descriptor*>(pointer);
      if (part == nullptr) {
        continue;
      }
      if (part->kind != CUDNN_BACKEND_TENSOR_DESCRIPTOR) {
        for (const auto& [id, extent] : part->tensors) {
          Extent& own = tensors[id];
          own.bytes = extent.bytes;
          own.written = own.written || extent.written;
        }
        continue;
      }
      for (const std::int64_t id :
           part->get<std::int64_t>(CUDNN_ATTR_TENSOR_UNIQUE_ID)) {
        Extent& own = tensors[id];
        own.bytes = bytes_of(*part);
        own.written = own.written || is_output(name);
      }
    }
  }
}

} // namespace vitrain::fake_cuda
