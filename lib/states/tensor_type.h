#pragma once

#include <c10/core/ScalarType.h>

#include "weights/dtype.h"

namespace vitrain::states {

// Returns the torch dtype of a safetensors type.
c10::ScalarType tensor_type(const weights::DType& type);
// Returns the safetensors type of a torch dtype; null if safetensors has none.
const weights::DType* find_dtype(c10::ScalarType type);

} // namespace vitrain::states
