#pragma once

#include "image/operations/affine.h"

namespace vitrain::image {

// affine() with bilinear or bicubic interpolation.
void interpolate_rows(
    const Canvas& canvas,
    const AffineMap& map,
    const AffineOptions& options,
    Scratch& scratch);

} // namespace vitrain::image
