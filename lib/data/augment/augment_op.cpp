#include "data/augment/augment_op.h"

#include <algorithm>

#include "image/operations/blur.h"
#include "image/operations/colour_operations.h"
#include "image/operations/tones.h"

namespace vitrain::data {
namespace {

bool moves(PixelOp op) {
  return op == PixelOp::kShearX || op == PixelOp::kShearY ||
      op == PixelOp::kTranslateX || op == PixelOp::kTranslateY;
}

image::AffineMap map_of(const PixelStep& step) {
  switch (step.op) {
    case PixelOp::kShearX:
      return {.b = step.argument};
    case PixelOp::kShearY:
      return {.d = step.argument};
    case PixelOp::kTranslateX:
      return {.c = step.argument};
    default:
      return {.f = step.argument};
  }
}

} // namespace

void apply_step(
    const PixelStep& step,
    const MoveOptions& options,
    const image::Canvas& canvas,
    image::Scratch& scratch) {
  if (moves(step.op)) {
    image::affine(canvas, map_of(step), options.affine, scratch);
    return;
  }
  const double x = step.argument;
  switch (step.op) {
    case PixelOp::kAutoContrast:
      return image::autocontrast(canvas);
    case PixelOp::kEqualize:
      return image::equalize(canvas);
    case PixelOp::kInvert:
      return image::invert(canvas);
    case PixelOp::kRotate:
      return image::rotate(
          canvas,
          x,
          {options.affine.interpolation, options.rotation_fill},
          scratch);
    case PixelOp::kPosterize:
      return image::posterize(canvas, std::clamp(static_cast<int>(x), 0, 8));
    case PixelOp::kSolarize:
      return image::solarize(canvas, x);
    case PixelOp::kSolarizeAdd:
      return image::solarize_add(canvas, static_cast<int>(x));
    case PixelOp::kSaturation:
      return image::saturation(canvas, x);
    case PixelOp::kContrast:
      return image::contrast(canvas, x);
    case PixelOp::kBrightness:
      return image::brightness(canvas, x);
    case PixelOp::kSharpness:
      return image::sharpness(canvas, x, scratch);
    case PixelOp::kHue:
      return image::hue(canvas, x);
    case PixelOp::kGrayscale:
      return image::grayscale(canvas);
    case PixelOp::kGaussianBlur:
      return image::gaussian_blur(canvas, x, scratch);
    default: // kIdentity
      return;
  }
}

} // namespace vitrain::data
