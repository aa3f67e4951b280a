#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace vitrain::weights {

// A type of the safetensors format.
struct DType {
  const char* name; // "F32"
  std::int64_t bytes; // of one element
  enum class Kind { kBoolean, kInteger, kFloat, kComplex } kind;
};

// Null when the name is not one that torch has a type for. Of two types, the
// reference writer puts the tensors of the one that is behind the other first.
const DType* find_dtype(std::string_view name);

// All names, for messages.
std::string known_dtypes();

} // namespace vitrain::weights
