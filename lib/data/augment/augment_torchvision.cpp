#include "data/augment/augment_torchvision.h"

#include <array>
#include <cmath>
#include <numbers>

namespace vitrain::data {
namespace {

constexpr auto kOps = std::to_array<TorchvisionOp>({
    {"Identity", PixelOp::kIdentity},
    {"ShearX", PixelOp::kShearX, true},
    {"ShearY", PixelOp::kShearY, true},
    {"TranslateX", PixelOp::kTranslateX, true},
    {"TranslateY", PixelOp::kTranslateY, true},
    {"Rotate", PixelOp::kRotate, true},
    {"Brightness", PixelOp::kBrightness, true},
    {"Color", PixelOp::kSaturation, true},
    {"Contrast", PixelOp::kContrast, true},
    {"Sharpness", PixelOp::kSharpness, true},
    {"Posterize", PixelOp::kPosterize},
    {"Solarize", PixelOp::kSolarize},
    {"AutoContrast", PixelOp::kAutoContrast},
    {"Equalize", PixelOp::kEqualize},
    {"Invert", PixelOp::kInvert},
});

// Returns torch.linspace(low, high, bins)[bin].
double linspace(double low, double high, int bin, int bins) {
  const auto first = static_cast<float>(low);
  const auto last = static_cast<float>(high);
  const float step = (last - first) / static_cast<float>(bins - 1);
  return bin < bins / 2 ? first + step * static_cast<float>(bin)
                        : last - step * static_cast<float>(bins - bin - 1);
}

// Returns the number of bits for Posterize: `first` at bin 0, decreasing by up
// to `drop` in equal steps rounded half to even.
double posterized(int first, int drop, int bin, int bins) {
  const auto step = static_cast<float>(static_cast<double>(bins - 1) / drop);
  return first - std::nearbyint(static_cast<float>(bin) / step);
}

double largest_shift(TorchvisionSpace space, int side) {
  switch (space) {
    case TorchvisionSpace::kTrivial:
      return 32.0;
    case TorchvisionSpace::kMix:
      return side / 3.0;
    default:
      return 150.0 / 331.0 * side;
  }
}

// Converts a shear to radians by way of degrees, as torchvision does, for equal
// rounding.
double shear_angle(double magnitude) {
  const double degrees = std::atan(magnitude) * (180.0 / std::numbers::pi);
  return degrees * (std::numbers::pi / 180.0);
}

} // namespace

const TorchvisionOp& torchvision_op(std::string_view name) {
  return op_named(kOps, name);
}

double torchvision_magnitude(
    const TorchvisionOp& op,
    TorchvisionSpace space,
    int bin,
    int bins,
    int width,
    int height) {
  const bool wide = space == TorchvisionSpace::kTrivial;
  switch (op.op) {
    case PixelOp::kShearX:
    case PixelOp::kShearY:
      return linspace(0, wide ? 0.99 : 0.3, bin, bins);
    case PixelOp::kTranslateX:
      return linspace(0, largest_shift(space, width), bin, bins);
    case PixelOp::kTranslateY:
      return linspace(0, largest_shift(space, height), bin, bins);
    case PixelOp::kRotate:
      return linspace(0, wide ? 135.0 : 30.0, bin, bins);
    case PixelOp::kBrightness:
    case PixelOp::kSaturation:
    case PixelOp::kContrast:
    case PixelOp::kSharpness:
      return linspace(0, wide ? 0.99 : 0.9, bin, bins);
    case PixelOp::kPosterize:
      return posterized(
          space == TorchvisionSpace::kMix ? 4 : 8, wide ? 6 : 4, bin, bins);
    case PixelOp::kSolarize:
      return linspace(255.0, 0.0, bin, bins);
    default:
      return 0;
  }
}

PixelStep torchvision_step(const TorchvisionOp& op, double magnitude) {
  switch (op.op) {
    case PixelOp::kShearX:
      return {op.op, std::tan(shear_angle(magnitude))};
    case PixelOp::kShearY: {
      const double angle = shear_angle(magnitude);
      return {op.op, -(std::sin(-angle) / std::cos(angle))};
    }
    case PixelOp::kTranslateX:
    case PixelOp::kTranslateY:
      return {op.op, -std::trunc(magnitude)};
    case PixelOp::kBrightness:
    case PixelOp::kSaturation:
    case PixelOp::kContrast:
    case PixelOp::kSharpness:
      return {op.op, 1.0 + magnitude};
    default:
      return {op.op, magnitude};
  }
}

} // namespace vitrain::data
