#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "image/image.h"
#include "image/operations/crop_math.h"
#include "image/operations/resample.h"
#include "options/crop.h"

namespace vitrain::image {

// Plan for resizing and cropping an image to a fixed size: resizes the part
// `from` of the image to width x height, and puts the pixels `window` of that
// at (left, top) of the result. Depends only on the image's size (and random
// numbers), so that a decoder can decode only the needed part.
struct CropPlan {
  // How pixels of the result outside `window` are filled.
  enum class Border { kFill, kReflect };

  Size size; // size of the result
  Rect from; // part of the image; pixels outside have no influence
  int width = 0; // size of the resized part
  int height = 0;
  Filter filter = Filter::kBicubic;
  Rect window; // pixels of the resized part that are used; may be empty
  int left = 0; // position of `window` in the result
  int top = 0;
  Border border = Border::kFill;
  std::array<std::uint8_t, 3> fill{};
  bool mirrored = false; // flips the finished result horizontally
  Pillow pillow = Pillow::k12; // version of Pillow whose resizing is reproduced

  // Returns the pixels of the image that the result depends on; empty if none.
  Rect source() const;
};

// Evaluation transforms of torchvision (kCenter) and timm (all modes): resize,
// then centre crop. Pixels outside the image get the colour `fill` (black in
// torchvision; in timm the mean for kBorder, else black). For a non-square
// result kCenter resizes in proportion to cover it, as timm's ResizeKeepRatio.
struct EvalCrop {
  Size size = 224; // size of the result
  CropMode mode = CropMode::kCenter;
  // Size before the crop, in pixels, for the side that CropMode names; 0:
  // floor(size / crop_pct) per side.
  int resize = 0;
  double crop_pct = 0.875;
  Filter filter = Filter::kBicubic;
  std::array<std::uint8_t, 3> fill{};
};

// Returns the plan for an image of this size. A side that would become shorter
// than half a pixel becomes one pixel (timm fails there).
CropPlan plan_eval_crop(int width, int height, const EvalCrop& crop);

// Returns the plan for an image of width x height that is resized to `to`; `x`
// and `y` are the overlaps of the resized image with the result of size `size`.
// The caller sets filter, border and fill.
CropPlan plan_overlap(
    int width,
    int height,
    const Size& size,
    const Size& to,
    Overlap x,
    Overlap y);

// Writes the result [size.height, size.width, 3] to `out`. `part` must contain
// the pixels of plan.source().
void cut(
    const CropPlan& plan,
    const ImagePart& part,
    Resampler& resampler,
    std::span<std::uint8_t> out);

} // namespace vitrain::image
