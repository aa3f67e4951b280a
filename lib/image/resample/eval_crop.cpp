#include "image/resample/eval_crop.h"

#include <algorithm>
#include <cmath>

#include "image/resample/crop_math.h"

namespace vitrain::image {
namespace {

Size resized(int width, int height, int to, CropMode mode) {
  switch (mode) {
    case CropMode::kCenter:
      return shorter_side_to(to, width, height);
    case CropMode::kSquash:
      return {to, to};
    case CropMode::kBorder: {
      const double ratio = std::max(
          static_cast<double>(height) / to, static_cast<double>(width) / to);
      return {
          std::max(round_half_even(width / ratio), 1),
          std::max(round_half_even(height / ratio), 1)};
    }
  }
  return {to, to};
}

} // namespace

CropPlan plan_eval_crop(int width, int height, const EvalCrop& crop) {
  const int to = crop.resize > 0
      ? crop.resize
      : static_cast<int>(std::floor(crop.size / crop.crop_pct));
  const Size size = resized(width, height, to, crop.mode);
  const Overlap x = centred(size.width, crop.size);
  const Overlap y = centred(size.height, crop.size);
  return {
      .size = crop.size,
      .from = {0, 0, width, height},
      .width = size.width,
      .height = size.height,
      .filter = crop.filter,
      .window = {x.first, y.first, x.count, y.count},
      .left = x.at,
      .top = y.at,
      .fill = crop.fill};
}

} // namespace vitrain::image
