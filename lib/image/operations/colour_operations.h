#pragma once

#include "image/operations/canvas.h"

namespace vitrain::image {

// Operations on the colour of each pixel and its neighbours, byte-equal to
// Pillow 12 on RGB.

// Each channel becomes the luma.
void grayscale(const Canvas& canvas);
// From the luma (0) over the image as it is (1) to stronger colours
// (ImageEnhance.Color).
void saturation(const Canvas& canvas, double factor);
// From a smoothed image (0) over the image as it is (1) to a sharpened one
// (ImageEnhance.Sharpness).
void sharpness(const Canvas& canvas, double factor, Scratch& scratch);
// Turns the hue by `turns` of a full circle, in [-0.5, 0.5], through 8-bit HSV
// (torchvision's adjust_hue of PIL images).
void hue(const Canvas& canvas, double turns);

} // namespace vitrain::image
