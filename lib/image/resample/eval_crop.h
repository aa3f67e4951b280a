#pragma once

#include <array>
#include <cstdint>

#include "image/resample/crop.h"
#include "options/crop.h"

namespace vitrain::image {

// The evaluation transforms of torchvision (kCenter) and timm: resize, then cut
// out the centre; what the image does not cover gets the colour `fill` (black
// in torchvision; in timm the mean for kBorder, else black).
struct EvalCrop {
  int size = 224; // side of the square
  CropMode mode = CropMode::kCenter;
  int resize = 0; // 0: floor(size / crop_pct)
  double crop_pct = 0.875;
  Filter filter = Filter::kBicubic;
  std::array<std::uint8_t, 3> fill{};
};

// The plan for an image of this size. A side that proportion makes shorter than
// half a pixel becomes one pixel (timm fails there).
CropPlan plan_eval_crop(int width, int height, const EvalCrop& crop);

} // namespace vitrain::image
