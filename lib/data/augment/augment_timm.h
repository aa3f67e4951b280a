#pragma once

#include <string_view>

#include "core/random.h"
#include "data/augment/augment_op.h"

namespace vitrain::data {

// timm's hparams that scale magnitudes.
struct TimmScale {
  double translate_pixels = 250; // TranslateX and Y at magnitude 10
  double translate_share = 0.45; // TranslateXRel and YRel, of the side
};

// One of timm's operations, by the name of its NAME_TO_OP.
struct TimmOp {
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
    kBlurDrawn,
  };
  std::string_view name;
  PixelOp op = PixelOp::kIdentity;
  Scale scale = Scale::kNone;
};

// Throws std::out_of_range for a name that timm does not have.
const TimmOp& timm_op(std::string_view name);

// A magnitude about `magnitude`: normal with this deviation, uniform from 0 for
// an infinite one, cut to [0, most].
double draw_timm_magnitude(
    double magnitude,
    double deviation,
    double most,
    Random& random);

// timm's LEVEL_TO_ARG: converts a magnitude (0 to 10, or more with mmax) to the
// operation's argument. `draw`, uniform in [0, 1), decides the sign, if there
// is one.
double timm_argument(
    const TimmOp& op,
    double magnitude,
    double draw,
    const TimmScale& scale);

// The operation on pixels of an image of this size. `draw` also decides the
// radius of GaussianBlurRand.
PixelStep timm_step(
    const TimmOp& op,
    double magnitude,
    double draw,
    const TimmScale& scale,
    int width,
    int height);

} // namespace vitrain::data
