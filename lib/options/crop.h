#pragma once

#include "core/enum_names.h"

namespace vitrain {

// Pillow's resampling filters. When an image is reduced, all but kNearest widen
// in proportion (antialiasing).
enum class Filter { kNearest, kBox, kBilinear, kHamming, kBicubic, kLanczos };
constexpr auto names_of(Filter) {
  using enum Filter;
  return enum_names<Filter>(
      {{kNearest, "nearest"},
       {kBox, "box"},
       {kBilinear, "bilinear"},
       {kHamming, "hamming"},
       {kBicubic, "bicubic"},
       {kLanczos, "lanczos"}});
}

// Resizing of the whole image before its centre is cropped in evaluation
// (timm's crop modes). R: data.preprocess.resize, or else floor(image_size /
// crop_pct).
//   kCenter: the shorter side to R, the longer one in proportion;
//   kSquash: both sides to R;
//   kBorder: the longer side to R, the shorter one in proportion.
enum class CropMode { kCenter, kSquash, kBorder };
constexpr auto names_of(CropMode) {
  using enum CropMode;
  return enum_names<CropMode>(
      {{kCenter, "center"}, {kSquash, "squash"}, {kBorder, "border"}});
}

// Crop of a training image. kResized: a random resized crop; kPad: resizing to
// cover the input's size, padding, and a random crop; kRkrr, kRkrc: timm's
// resize in proportion with random zoom and aspect, then a random or the centre
// crop; kSquash: the whole image, both sides resized to the input's (timm's
// --no-aug); kNone: as in evaluation.
enum class TrainCrop { kNone, kPad, kResized, kRkrr, kRkrc, kSquash };
constexpr auto names_of(TrainCrop) {
  using enum TrainCrop;
  return enum_names<TrainCrop>(
      {{kNone, "none"},
       {kPad, "pad"},
       {kResized, "resized"},
       {kRkrr, "rkrr"},
       {kRkrc, "rkrc"},
       {kSquash, "squash"}});
}

} // namespace vitrain
