#pragma once

#include "image/operations/canvas.h"

namespace vitrain::image {

// Flips left and right.
void flip_horizontally(const Canvas& canvas);
// Flips top and bottom.
void flip_vertically(const Canvas& canvas);

} // namespace vitrain::image
