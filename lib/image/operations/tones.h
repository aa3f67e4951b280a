#pragma once

#include "image/operations/canvas.h"

namespace vitrain::image {

// Operations on single values, or on the histogram of each channel. All are
// byte-equal to Pillow 12 (ImageOps, ImageEnhance) on RGB.

void invert(const Canvas& canvas);
// Replaces values >= `threshold` by 255 - value.
void solarize(const Canvas& canvas, double threshold);
// Adds `amount` (>= 0) to values below 128, clamped to 255; as in timm.
void solarize_add(const Canvas& canvas, int amount);
// Keeps the upper `bits` (0 to 8) of each value.
void posterize(const Canvas& canvas, int bits);
// Stretches each channel linearly to the range [0, 255]; a channel of a single
// value stays unchanged.
void autocontrast(const Canvas& canvas);
// Equalises the histogram of each channel; a channel stays unchanged if fewer
// than 255 of its pixels differ from its largest value.
void equalize(const Canvas& canvas);
// Changes the brightness: factor 0 gives black, 1 the unchanged image, larger
// ones a brighter image.
void brightness(const Canvas& canvas, double factor);
// Changes the contrast: factor 0 gives the rounded mean luma everywhere, 1 the
// unchanged image, larger ones more contrast.
void contrast(const Canvas& canvas, double factor);

} // namespace vitrain::image
