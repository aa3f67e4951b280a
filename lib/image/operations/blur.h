#pragma once

#include "image/operations/canvas.h"

namespace vitrain::image {

// Applies a Gaussian blur; byte-equal to ImageFilter.GaussianBlur(radius) of
// Pillow 12: three extended box filters in each direction (Gwosdek, Grewenig,
// Bruhn, Weickert: "Theoretical foundations of Gaussian convolution by extended
// box filtering", SSVM 2011), 24-bit fixed point, 8 bits between the passes.
// `radius` >= 0 is the standard deviation in pixels.
void gaussian_blur(const Canvas& canvas, double radius, Scratch& scratch);

} // namespace vitrain::image
