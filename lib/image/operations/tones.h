#pragma once

#include "image/operations/canvas.h"

namespace vitrain::image {

// Operations on single values, or by the histogram of a channel. All are
// byte-equal to Pillow 12 (ImageOps, ImageEnhance) on RGB.

void invert(const Canvas& canvas);
// Values from `threshold` on become 255 - value.
void solarize(const Canvas& canvas, double threshold);
// timm's: values below 128 grow by `amount` (>= 0), up to 255.
void solarize_add(const Canvas& canvas, int amount);
// Keeps the upper `bits` (0 to 8) of each value.
void posterize(const Canvas& canvas, int bits);
// Each channel stretched so that its values reach from 0 to 255.
void autocontrast(const Canvas& canvas);
// Each channel's histogram made flat.
void equalize(const Canvas& canvas);
// From black (0) over the image as it is (1) to brighter ones.
void brightness(const Canvas& canvas, double factor);
// From its mean grey (0) over the image as it is (1) to more contrast.
void contrast(const Canvas& canvas, double factor);

} // namespace vitrain::image
