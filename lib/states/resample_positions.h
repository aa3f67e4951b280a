#pragma once

#include <ATen/core/Tensor.h>

#include "options/resampling.h"
#include "weights/position_grid.h"

namespace vitrain::states {

// Returns `values`, a file's tensor in `positions.layout`, resampled from the
// grid `positions.from` to the grid `positions.to`, in fp32. Rows without a
// grid position are copied.
at::Tensor resample(
    const at::Tensor& values,
    const weights::Positions& positions,
    Resampling resampling);

} // namespace vitrain::states
