#pragma once

#include <string_view>

#include "core/random.h"
#include "data/augment/augment_op.h"

namespace vitrain::data {

// timm's hparams for the magnitudes of translations.
struct TimmScale {
  // Offset in pixels of TranslateX and TranslateY at magnitude 10.
  double translate_pixels = 250;
  // Offset of TranslateXRel and TranslateYRel at magnitude 10, as a fraction of
  // the side.
  double translate_share = 0.45;
};

// One of timm's operations, by its name in timm's NAME_TO_OP.
struct TimmOp {
  // Formula from the magnitude to the argument, see timm_argument().
  enum class Scale {
    kNone,
    kRotate,
    kEnhance,
    kEnhanceIncreasing,
    kShear,
    kTranslatePixels,
    kTranslateShare,
    kPosterize,
    kPosterizeIncreasing,
    kPosterizeOriginal,
    kSolarize,
    kSolarizeIncreasing,
    kSolarizeAdd,
    kDesaturate,
    kBlur,
    kBlurDrawn, // GaussianBlurRand
  };
  std::string_view name;
  PixelOp op = PixelOp::kIdentity;
  Scale scale = Scale::kNone;
};

// Returns the operation with this name. Throws std::out_of_range if timm has
// none.
const TimmOp& timm_op(std::string_view name);

// Samples the magnitude of an operation: normally distributed with mean
// `magnitude` and standard deviation `deviation` (<= 0: exactly `magnitude`);
// if `deviation` is infinite, uniform in [0, magnitude]. Clamps the result to
// [0, most].
double draw_timm_magnitude(
    double magnitude,
    double deviation,
    double most,
    Random& random);

// Converts a magnitude (0 to 10, or more with timm's mmax) to the operation's
// argument, as timm's LEVEL_TO_ARG does; 0 for operations without one. `draw`
// is a random number, uniform in [0, 1); signed arguments are negative if it
// exceeds 0.5.
double timm_argument(
    const TimmOp& op,
    double magnitude,
    double draw,
    const TimmScale& scale);

// Returns the operation with its argument for an image of this size. `draw` as
// for timm_argument(); it also determines the radius of GaussianBlurRand.
PixelStep timm_step(
    const TimmOp& op,
    double magnitude,
    double draw,
    const TimmScale& scale,
    int width,
    int height);

} // namespace vitrain::data
