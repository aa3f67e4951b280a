#pragma once

#include "image/operations/canvas.h"

namespace vitrain::image {

// Operations on the colours of pixels and their neighbours; byte-equal to
// Pillow 12 on RGB.

// Replaces each channel by the luma.
void grayscale(const Canvas& canvas);
// Changes the saturation (ImageEnhance.Color): factor 0 gives the luma, 1 the
// unchanged image, larger ones stronger colours.
void saturation(const Canvas& canvas, double factor);
// Changes the sharpness (ImageEnhance.Sharpness): factor 0 gives a smoothed
// image, 1 the unchanged image, larger ones a sharpened image. The outermost
// pixels stay unchanged.
void sharpness(const Canvas& canvas, double factor, Scratch& scratch);
// Rotates the hue by `turns` of a full circle, in [-0.5, 0.5], using 8-bit HSV
// (torchvision's adjust_hue of PIL images).
void hue(const Canvas& canvas, double turns);

} // namespace vitrain::image
