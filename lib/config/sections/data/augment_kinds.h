#pragma once

#include "core/text/enum_names.h"

namespace vitrain::config {

// Interpolation of auto_augment's operations; kRandom: bilinear or bicubic at
// random.
enum class AugmentInterpolation { kNearest, kBilinear, kBicubic, kRandom };
constexpr auto names_of(AugmentInterpolation) {
  using enum AugmentInterpolation;
  return enum_names<AugmentInterpolation>(
      {{kNearest, "nearest"},
       {kBilinear, "bilinear"},
       {kBicubic, "bicubic"},
       {kRandom, "random"}});
}
// Pixels that surround a padded image.
enum class PaddingMode { kBlack, kReflect };
constexpr auto names_of(PaddingMode) {
  using enum PaddingMode;
  return enum_names<PaddingMode>({{kBlack, "black"}, {kReflect, "reflect"}});
}
// kSame: as data.preprocess.interpolation.
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
