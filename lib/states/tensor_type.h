#pragma once

#include <c10/core/ScalarType.h>

#include "weights/dtype.h"

// torch's name of each type of the safetensors format.
namespace vitrain::states {

c10::ScalarType tensor_type(const weights::DType& type);
// Null when the format has no such type.
const weights::DType* find_dtype(c10::ScalarType type);

} // namespace vitrain::states
