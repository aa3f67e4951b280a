#pragma once

#include <array>

#include "core/random.h"
#include "image/resample/crop_plan.h"

namespace vitrain::image {

// The crop that RandomResizedCrop of torchvision and of timm draws: a share
// `scale` of the area, uniform; width over height in `ratio`, log-uniform;
// position uniform; ten tries, then the largest centre crop within the ratios.
Rect draw_resized_crop(
    int width,
    int height,
    std::array<double, 2> scale,
    std::array<double, 2> ratio,
    Random& random);

// The filter of these plans is the caller's to set.

// `rect` of the image, resized to the whole result; pixels outside have no
// influence.
CropPlan plan_resized_crop(const Rect& rect, const Size& size);

// Returns the size that plan_padded_crop() resizes an image to: it covers
// `size` in proportion; of a square, the shorter side is as long (torchvision's
// Resize(size)).
Size padded_crop_resize(int width, int height, const Size& size);

// The whole image resized to padded_crop_resize(), `padding` black pixels added
// on every side, and `size` cut out. left and top count from the padded corner:
// from 0 to the resized side + 2 * padding - the side of `size`. Uniform
// offsets make it torchvision's Resize(size) and RandomCrop(size, padding),
// which DeiT's
// --src is.
CropPlan plan_padded_crop(
    int width,
    int height,
    const Size& size,
    int padding,
    int left,
    int top);

// Random factors of the sides in timm's ResizeKeepRatio: with probability 1/2
// `zoom` of both sides, so that a fraction `scale` (uniform) of the area
// remains visible; with probability 1/2 `aspect` of their ratio, log-uniform in
// `ratio`; otherwise 1.
struct KeepRatio {
  double zoom = 1;
  double aspect = 1;
};
KeepRatio draw_keep_ratio(
    std::array<double, 2> scale,
    std::array<double, 2> ratio,
    Random& random);

// Plans a resize in proportion to cover `size`, changed by `draw`, and a crop
// of that size: at a uniform position (timm's "rkrr"), or at the centre without
// `position` ("rkrc"). A smaller image is extended by reflection.
CropPlan plan_keep_ratio_crop(
    int width,
    int height,
    const Size& size,
    const KeepRatio& draw,
    Random* position);

} // namespace vitrain::image
