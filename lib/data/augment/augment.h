#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "data/augment/augment_policy.h"
#include "data/augment/draw.h"

namespace vitrain::data {

// Options of the random changes to a training image after crop and horizontal
// flip.
struct AugmentOptions {
  double vertical_flip = 0; // probability
  std::optional<PolicyOptions> policy;
  // torchvision's ColorJitter, values for brightness, contrast, saturation and
  // hue: the factors of the first three are uniform in [1 - v, 1 + v] (at least
  // 0), the shift of the hue is uniform in [-v, v] turns of the colour circle.
  // A value v of 0 skips its operation.
  std::array<double, 4> jitter{};
  double jitter_probability = 1; // that `jitter` applies
  double grayscale = 0; // probability
  double blur = 0; // probability
  std::array<double, 2> blur_radius{0.1, 2.0}; // range of sigma in pixels
  double solarize = 0; // probability
  double solarize_threshold = 128; // values from here on become 255 - value
  std::uint64_t seed = 0;
};

// Applies the changes in the order of timm's create_transform (vertical flip,
// policy, colour jitter, grayscale, blur), then solarize, as in BYOL and DINO.
// A pure function of (options, pixels, draw). Each stage has its own random
// stream, so changing one stage does not affect the random numbers of the
// others. Thread-safe.
class Augment {
 public:
  explicit Augment(const AugmentOptions& options);

  void apply(
      const image::Canvas& canvas,
      const Draw& draw,
      AugmentScratch& scratch) const;
  // The two parts of apply(): the vertical flip, which timm counts as part of
  // the crop, and all other changes.
  void flip(const image::Canvas& canvas, const Draw& draw) const;
  void change(
      const image::Canvas& canvas,
      const Draw& draw,
      AugmentScratch& scratch) const;

 private:
  void jitter(
      const image::Canvas& canvas,
      Random random,
      AugmentScratch& scratch) const;

  AugmentOptions options_;
  AugmentPolicy policy_; // empty: no policy
};

} // namespace vitrain::data
