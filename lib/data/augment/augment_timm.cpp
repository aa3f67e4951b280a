#include "data/augment/augment_timm.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace vitrain::data {
namespace {

using Scale = TimmOp::Scale;

constexpr auto kOps = std::to_array<TimmOp>({
    {"AutoContrast", PixelOp::kAutoContrast},
    {"Equalize", PixelOp::kEqualize},
    {"Invert", PixelOp::kInvert},
    {"Rotate", PixelOp::kRotate, Scale::kRotate},
    {"Posterize", PixelOp::kPosterize, Scale::kPosterize},
    {"PosterizeIncreasing", PixelOp::kPosterize, Scale::kPosterizeIncreasing},
    {"PosterizeOriginal", PixelOp::kPosterize, Scale::kPosterizeOriginal},
    {"Solarize", PixelOp::kSolarize, Scale::kSolarize},
    {"SolarizeIncreasing", PixelOp::kSolarize, Scale::kSolarizeIncreasing},
    {"SolarizeAdd", PixelOp::kSolarizeAdd, Scale::kSolarizeAdd},
    {"Color", PixelOp::kSaturation, Scale::kEnhance},
    {"ColorIncreasing", PixelOp::kSaturation, Scale::kEnhanceIncreasing},
    {"Contrast", PixelOp::kContrast, Scale::kEnhance},
    {"ContrastIncreasing", PixelOp::kContrast, Scale::kEnhanceIncreasing},
    {"Brightness", PixelOp::kBrightness, Scale::kEnhance},
    {"BrightnessIncreasing", PixelOp::kBrightness, Scale::kEnhanceIncreasing},
    {"Sharpness", PixelOp::kSharpness, Scale::kEnhance},
    {"SharpnessIncreasing", PixelOp::kSharpness, Scale::kEnhanceIncreasing},
    {"ShearX", PixelOp::kShearX, Scale::kShear},
    {"ShearY", PixelOp::kShearY, Scale::kShear},
    {"TranslateX", PixelOp::kTranslateX, Scale::kTranslatePixels},
    {"TranslateY", PixelOp::kTranslateY, Scale::kTranslatePixels},
    {"TranslateXRel", PixelOp::kTranslateX, Scale::kTranslateShare},
    {"TranslateYRel", PixelOp::kTranslateY, Scale::kTranslateShare},
    {"Desaturate", PixelOp::kSaturation, Scale::kDesaturate},
    {"GaussianBlur", PixelOp::kGaussianBlur, Scale::kBlur},
    {"GaussianBlurRand", PixelOp::kGaussianBlur, Scale::kBlurDrawn},
});

// Interpolates from `low` at level 0 to `high` at level 1 (magnitude 10);
// clamped to [low, high].
double between(double low, double high, double level) {
  return std::clamp(low + (high - low) * level, low, high);
}

} // namespace

const TimmOp& timm_op(std::string_view name) {
  return op_named(kOps, name);
}

double draw_timm_magnitude(
    double magnitude,
    double deviation,
    double most,
    Random& random) {
  if (std::isinf(deviation)) {
    magnitude = random.uniform(0.0, magnitude);
  } else if (deviation > 0) {
    magnitude += deviation * random.normal();
  }
  return std::clamp(magnitude, 0.0, most);
}

double timm_argument(
    const TimmOp& op,
    double magnitude,
    double draw,
    const TimmScale& scale) {
  const double level = magnitude / 10.0;
  const auto either_sign = [&](double x) { return draw > 0.5 ? -x : x; };
  const auto whole = [&](double most) {
    return static_cast<double>(static_cast<int>(level * most));
  };
  switch (op.scale) {
    case Scale::kNone:
      return 0;
    case Scale::kRotate:
      return either_sign(level * 30.0);
    case Scale::kEnhance:
      return level * 1.8 + 0.1;
    case Scale::kEnhanceIncreasing:
      return std::max(0.1, 1.0 + either_sign(level * 0.9));
    case Scale::kShear:
      return either_sign(level * 0.3);
    case Scale::kTranslatePixels:
      return either_sign(level * scale.translate_pixels);
    case Scale::kTranslateShare:
      return either_sign(level * scale.translate_share);
    case Scale::kPosterize:
      return whole(4);
    case Scale::kPosterizeIncreasing:
      return 4 - whole(4);
    case Scale::kPosterizeOriginal:
      return whole(4) + 4;
    case Scale::kSolarize:
      return std::min(256.0, whole(256));
    case Scale::kSolarizeIncreasing:
      return 256 - std::min(256.0, whole(256));
    case Scale::kSolarizeAdd:
      return std::min(128.0, whole(110));
    case Scale::kDesaturate:
      return between(0.5, 1.0, level);
    case Scale::kBlur:
      return between(0.1, 2.0, level);
    case Scale::kBlurDrawn:
      return between(0.0, 1.0, level);
  }
  return 0;
}

PixelStep timm_step(
    const TimmOp& op,
    double magnitude,
    double draw,
    const TimmScale& scale,
    int width,
    int height) {
  const double argument = timm_argument(op, magnitude, draw, scale);
  if (op.scale == Scale::kTranslateShare) {
    return {op.op, argument * (op.op == PixelOp::kTranslateX ? width : height)};
  }
  if (op.scale == Scale::kDesaturate) {
    return {op.op, std::clamp(1.0 - argument, 0.0, 1.0)};
  }
  if (op.scale == Scale::kBlurDrawn) {
    return {op.op, 0.1 + (2.0 * argument - 0.1) * draw};
  }
  return {op.op, argument};
}

} // namespace vitrain::data
