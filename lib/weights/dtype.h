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

// Returns the type with this name of the safetensors format; null if unknown,
// or if torch lacks it. All results point into one table; the reference writer
// writes tensors of types that are later in it first.
const DType* find_dtype(std::string_view name);

// Returns "BOOL, U8, ...", all names, for messages.
std::string known_dtypes();

} // namespace vitrain::weights
