#pragma once

#include <cudnn.h>

#include <cstdint>
#include <map>
#include <vector>

namespace vitrain::fake_cuda {

// That a handle was told.
cudaStream_t stream_of(cudnnHandle_t handle);

// Of a tensor that a plan works on.
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
  // Of it and of all that it was made of, by their ids: descriptors may be gone
  // before what was made of them.
  std::map<std::int64_t, Extent> tensors{};

  // The numbers or pointers of an attribute; none where it was not set.
  template <typename Value>
  std::vector<Value> get(cudnnBackendAttributeName_t name) const;
  // Takes the tensors of those that its attributes name.
  void gather_tensors();
};

} // namespace vitrain::fake_cuda
