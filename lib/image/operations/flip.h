#pragma once

#include "image/operations/canvas.h"

namespace vitrain::image {

// Mirrors left to right.
void flip_horizontally(const Canvas& canvas);
// Mirrors top to bottom.
void flip_vertically(const Canvas& canvas);

} // namespace vitrain::image
