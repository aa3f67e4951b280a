#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace vitrain::weights {

// Element type of the safetensors format.
struct DType {
  const char* name; // "F32"
  std::int64_t bytes; // bytes of one element
  enum class Kind { kBoolean, kInteger, kFloat, kComplex } kind;
};

// Returns the type with this name; null if torch has no such dtype. The table
// is in the reverse order of the reference writer, which writes tensors with
// later types first.
const DType* find_dtype(std::string_view name);

// Returns all names, for messages.
std::string known_dtypes();

} // namespace vitrain::weights
