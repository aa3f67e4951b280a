#pragma once

#include <array>

#include "core/random.h"
#include "image/operations/crop_plan.h"

namespace vitrain::image {

// Samples a crop as RandomResizedCrop of torchvision and timm does: the
// fraction of the area is uniform in `scale`, width over height log-uniform in
// `ratio`, the position uniform. After ten attempts that do not fit, returns
// the centre crop of the largest area whose ratio is in `ratio`.
Rect draw_resized_crop(
    int width,
    int height,
    std::array<double, 2> scale,
    std::array<double, 2> ratio,
    Random& random);

// The plans of the following functions have the default filter; callers set
// another one.

// Returns a plan that resizes `rect` of the image to the whole result; pixels
// outside `rect` have no influence.
CropPlan plan_resized_crop(const Rect& rect, const Size& size);

// Returns the size to which plan_padded_crop() resizes an image: in proportion,
// so that it covers `size`; if `size` is square, this is torchvision's
// Resize(size).
Size padded_crop_resize(int width, int height, const Size& size);

// Returns a plan that resizes the whole image to padded_crop_resize(), adds
// `padding` black pixels on every side, and crops `size` at (left, top),
// counted from the padded corner. Offsets are in [0, resized side + 2 * padding
// - side of `size`]. With uniform offsets this is torchvision's Resize(size)
// and RandomCrop(size, padding), which DeiT uses with --src.
CropPlan plan_padded_crop(
    int width,
    int height,
    const Size& size,
    int padding,
    int left,
    int top);

// Random numbers of timm's ResizeKeepRatio.
struct KeepRatio {
  double zoom = 1; // factor of both sides
  double aspect = 1; // factor of width over height
};
// Samples both: with probability 1/2 `zoom` is such that a fraction of the area
// that is uniform in `scale` remains visible, otherwise 1; independently, with
// probability 1/2 `aspect` is log-uniform in `ratio`, otherwise 1.
KeepRatio draw_keep_ratio(
    std::array<double, 2> scale,
    std::array<double, 2> ratio,
    Random& random);

// Returns a plan that resizes the image in proportion to cover `size`, with the
// factors `draw`, and crops `size` at a random position from `*position`
// (timm's "rkrr"), or at the centre if it is null ("rkrc"). A smaller image is
// extended by reflection.
CropPlan plan_keep_ratio_crop(
    int width,
    int height,
    const Size& size,
    const KeepRatio& draw,
    Random* position);

} // namespace vitrain::image
