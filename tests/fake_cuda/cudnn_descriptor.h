#pragma once

#include <cudnn.h>

#include <cstdint>
#include <map>
#include <vector>

namespace vitrain::fake_cuda {

// Returns the stream that was set on a handle.
cudaStream_t stream_of(cudnnHandle_t handle);

// Extent of a tensor that a plan uses.
struct Extent {
  std::size_t bytes = 0;
  bool written = false;
};

// cudnnBackendDescriptor_t points to one.
struct Descriptor {
  struct Attribute {
    cudnnBackendAttributeType_t type;
    std::int64_t count;
    std::vector<char> values;
  };

  cudnnBackendDescriptorType_t kind;
  std::map<cudnnBackendAttributeName_t, Attribute> attributes{};
  // Tensors of this descriptor and of all descriptors that it was made from, by
  // id; those may be destroyed earlier.
  std::map<std::int64_t, Extent> tensors{};

  // Returns the numbers or pointers of an attribute; empty if it was not set.
  template <typename Value>
  std::vector<Value> get(cudnnBackendAttributeName_t name) const;
  // Collects the tensors of the descriptors in its attributes.
  void gather_tensors();
};

} // namespace vitrain::fake_cuda
