#pragma once

#include "core/enum_names.h"

namespace vitrain::config {

// Interpolation of auto_augment's operations; kRandom: bilinear or bicubic, at
// random for each operation.
enum class AugmentInterpolation { kNearest, kBilinear, kBicubic, kRandom };
constexpr auto names_of(AugmentInterpolation) {
  using enum AugmentInterpolation;
  return enum_names<AugmentInterpolation>(
      {{kNearest, "nearest"},
       {kBilinear, "bilinear"},
       {kBicubic, "bicubic"},
       {kRandom, "random"}});
}
// Content of the border of a padded image.
enum class PaddingMode { kBlack, kReflect };
constexpr auto names_of(PaddingMode) {
  using enum PaddingMode;
  return enum_names<PaddingMode>({{kBlack, "black"}, {kReflect, "reflect"}});
}
// Interpolation of training crops. kSame: as data.preprocess.interpolation;
// kRandom: bilinear or bicubic for each image.
enum class TrainInterpolation {
  kSame,
  kRandom,
  kNearest,
  kBox,
  kBilinear,
  kHamming,
  kBicubic,
  kLanczos
};
constexpr auto names_of(TrainInterpolation) {
  using enum TrainInterpolation;
  return enum_names<TrainInterpolation>(
      {{kSame, "same"},
       {kRandom, "random"},
       {kNearest, "nearest"},
       {kBox, "box"},
       {kBilinear, "bilinear"},
       {kHamming, "hamming"},
       {kBicubic, "bicubic"},
       {kLanczos, "lanczos"}});
}

} // namespace vitrain::config
