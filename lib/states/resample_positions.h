#pragma once

#include <ATen/core/Tensor.h>

#include "options/resampling.h"
#include "weights/position_grid.h"

namespace vitrain::states {

// Returns a file's tensor resampled to the model's grid, in fp32. Rows without
// a grid position are copied.
at::Tensor resample(
    const at::Tensor& values,
    const weights::Positions& positions,
    Resampling resampling);

} // namespace vitrain::states
