#pragma once

#include <algorithm>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "image/operations/affine.h"
#include "image/operations/canvas.h"

namespace vitrain::data {

// Operation on pixels. Its argument is the function's in lib/image: the
// coefficient of a shear, the source's offset in pixels of a translation.
enum class PixelOp {
  kIdentity,
  kAutoContrast,
  kEqualize,
  kInvert,
  kRotate,
  kPosterize,
  kSolarize,
  kSolarizeAdd,
  kSaturation,
  kContrast,
  kBrightness,
  kSharpness,
  kHue,
  kGrayscale,
  kGaussianBlur,
  kShearX,
  kShearY,
  kTranslateX,
  kTranslateY,
};

struct PixelStep {
  PixelOp op = PixelOp::kIdentity;
  double argument = 0;
};

// Interpolation of geometric operations, and the fill colour.
struct MoveOptions {
  image::AffineOptions affine;
  std::array<std::uint8_t, 3> rotation_fill{};
};

// Memory that stays allocated from image to image; one thread at a time.
struct AugmentScratch {
  image::Scratch image;
  std::vector<std::uint8_t> chain; // of AugMix: pixels of one chain ...
  std::vector<float> mixed; // ... and the sum of all
};

// Returns the operation of this name in a table. Throws std::out_of_range.
template <typename Ops>
const auto& op_named(const Ops& ops, std::string_view name) {
  const auto found =
      std::ranges::find(ops, name, [](const auto& op) { return op.name; });
  if (found == ops.end()) {
    throw std::out_of_range("no operation " + std::string(name));
  }
  return *found;
}

void apply_step(
    const PixelStep& step,
    const MoveOptions& options,
    const image::Canvas& canvas,
    image::Scratch& scratch);

} // namespace vitrain::data
