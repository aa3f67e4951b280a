#pragma once

#include <algorithm>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "image/operations/affine.h"
#include "image/operations/canvas.h"

namespace vitrain::data {

// Operation on pixels. PixelStep::argument is the argument of the function in
// lib/image/operations with that name (factor, threshold, bits, degrees, ...);
// for shears the coefficient, for translations the offset of the source in
// pixels.
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

// Options of geometric operations: interpolation and fill colour (for
// rotations, `rotation_fill`).
struct MoveOptions {
  image::AffineOptions affine;
  std::array<std::uint8_t, 3> rotation_fill{};
};

// Buffers reused from image to image; used by one thread at a time.
struct AugmentScratch {
  image::Scratch image;
  std::vector<std::uint8_t> chain; // AugMix: pixels of one chain
  std::vector<float> mixed; // AugMix: sum of all chains
};

// Returns the element of `ops` with this name. Throws std::out_of_range if
// there is none.
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
