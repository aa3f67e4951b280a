#pragma once

#include <driver_types.h>

#include <string>
#include <vector>

namespace vitrain::fake_cuda {

// What is known of a kernel's parameters, by the types in its name: pointers,
// and the arrays of pointers of torch's element-wise kernels. Not what lies in
// other structs and closures, whose sizes nothing tells.
class Parameters {
 public:
  // Of a kernel's mangled name; of one that is no C++ function's, nothing.
  explicit Parameters(const char* name);

  // What a launch with these arguments uses must be in order. A pointer's
  // memory is read, at least its first byte; who writes it is not known, but of
  // an array the first, which is the result.
  void use(cudaStream_t stream, void** arguments) const;

 private:
  struct Pointers {
    std::size_t parameter; // its place
    std::size_t count; // of pointers in it
    bool has_result;
  };

  std::string what_; // for violations
  std::vector<Pointers> pointers_;
  bool counts_elements_ = false; // the first parameter is their number
};

} // namespace vitrain::fake_cuda
