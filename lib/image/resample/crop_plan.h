#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "image/image.h"
#include "image/resample/crop_math.h"
#include "image/resample/resample.h"
#include "options/crop.h"

namespace vitrain::image {

// Plan for resizing and cropping an image to a fixed size. Depends only on the
// image's size (and random numbers), so that a decoder can be told the needed
// part before it starts.
struct CropPlan {
  // Pixels of the result outside the image.
  enum class Border { kFill, kReflect };

  Size size; // of the result
  Rect from; // this part of the image, ...
  int width = 0; // ... resized to width x height as if it stood alone, ...
  int height = 0;
  Filter filter = Filter::kBicubic;
  Rect window; // ... of which this is seen (it may be empty) ...
  int left = 0; // ... from this place of the result on
  int top = 0;
  Border border = Border::kFill;
  std::array<std::uint8_t, 3> fill{};
  bool mirrored = false; // the finished result, left to right
  Pillow pillow = Pillow::k12; // whose resize

  // The pixels of the image that the result depends on; empty if none.
  Rect source() const;
};

// The evaluation transforms of torchvision (kCenter) and timm: resize, then
// centre crop; pixels outside the image get the colour `fill` (black in
// torchvision; in timm the mean for kBorder, else black). kCenter with a
// non-square result resizes in proportion to cover it, as timm's
// ResizeKeepRatio.
struct EvalCrop {
  Size size = 224; // of the result
  CropMode mode = CropMode::kCenter;
  int resize = 0; // 0: floor(size / crop_pct), of each side
  double crop_pct = 0.875;
  Filter filter = Filter::kBicubic;
  std::array<std::uint8_t, 3> fill{};
};

// The plan for an image of this size. A side that proportion makes shorter than
// half a pixel becomes one pixel (timm fails there).
CropPlan plan_eval_crop(int width, int height, const EvalCrop& crop);

// The plan for an image of this size that is brought to `to`, of which the
// result sees these parts of the axes.
CropPlan plan_overlap(
    int width,
    int height,
    const Size& size,
    const Size& to,
    Overlap x,
    Overlap y);

// Writes the result [height, width, 3] to `out`. `part` holds at least the
// pixels of plan.source().
void cut(
    const CropPlan& plan,
    const ImagePart& part,
    Resampler& resampler,
    std::span<std::uint8_t> out);

} // namespace vitrain::image
