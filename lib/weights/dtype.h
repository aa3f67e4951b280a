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

// Returns null if torch has no such dtype. The table is in reverse order of the
// reference writer, which writes tensors of later dtypes first.
const DType* find_dtype(std::string_view name);

// All names, for messages.
std::string known_dtypes();

} // namespace vitrain::weights
