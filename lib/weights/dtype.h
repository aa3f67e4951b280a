#pragma once

#include <cstdint>
#include <optional>
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

// None when the name is not one that torch has a type for.
std::optional<DType> find_dtype(std::string_view name);
// None when the format has no such type.
std::optional<DType> find_dtype(c10::ScalarType type);

// Place of a type in the reference writer's order: larger ones come first.
int dtype_rank(c10::ScalarType type);

// All names, for messages.
std::string known_dtypes();

} // namespace vitrain::weights
