#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include <c10/core/ScalarType.h>

namespace vitrain::weights {

// A type of the safetensors format.
struct DType {
  const char* name; // "F32"
  std::int64_t bytes; // of one element
  c10::ScalarType type; // torch's
};

// Null when the name is not one that torch has a type for. Of two types, the
// reference writer puts the tensors of the one that is behind the other first.
const DType* find_dtype(std::string_view name);
// Null when the format has no such type.
const DType* find_dtype(c10::ScalarType type);

// All names, for messages.
std::string known_dtypes();

} // namespace vitrain::weights
