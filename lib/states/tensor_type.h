#pragma once

#include <c10/core/ScalarType.h>

#include "weights/dtype.h"

// Returns the torch dtype of a type of the safetensors format.
namespace vitrain::states {

c10::ScalarType tensor_type(const weights::DType& type);
// Returns null if the format has no such type.
const weights::DType* find_dtype(c10::ScalarType type);

} // namespace vitrain::states
