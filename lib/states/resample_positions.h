#pragma once

#include <ATen/core/Tensor.h>

#include "options/resampling.h"
#include "weights/position_grid.h"

namespace vitrain::states {

// A file's tensor on the model's grid, in fp32; rows without place stay as they
// are.
at::Tensor resample(
    const at::Tensor& values,
    const weights::Positions& positions,
    Resampling resampling);

} // namespace vitrain::states
