#pragma once

#include <driver_types.h>

#include <string>
#include <vector>

namespace vitrain::fake_cuda {

// A kernel's pointer parameters, from the types in its name: pointers, and the
// arrays of pointers of torch's elementwise kernels. Other structs and closures
// are not covered, since their sizes are unknown.
class Parameters {
 public:
  // Parses a kernel's mangled name; empty if it is no C++ function.
  explicit Parameters(const char* name);

  // Checks the order of memory accesses of a launch with these arguments.
  // The launch reads at least the first byte that a pointer points to; writes
  // are unknown, except for the first pointer of an array, which is the result.
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
