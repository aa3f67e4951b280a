#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "data/augment/augment_policy.h"
#include "data/order/draw.h"

namespace vitrain::data {

// Changes to the pixels of a training image after crop and horizontal flip.
struct AugmentOptions {
  double vertical_flip = 0; // probability, like the other values
  std::optional<PolicyOptions> policy;
  // torchvision's ColorJitter: factors of brightness, contrast and saturation
  // are uniform in [1 - v, 1 + v] (at least 0), the hue's shift in [-v, v]; 0:
  // skipped.
  std::array<double, 4> jitter{};
  double jitter_probability = 1;
  double grayscale = 0;
  double blur = 0;
  std::array<double, 2> blur_radius{0.1, 2.0};
  double solarize = 0;
  double solarize_threshold = 128;
  std::uint64_t seed = 0;
};

// In the order of timm's create_transform: vertical flip, policy, colour
// jitter, grayscale, blur; then solarize, as in BYOL and DINO. A pure function
// of (options, pixels, draw), whose stages draw from separate streams: changing
// one stage does not change the rest. Thread-safe.
class Augment {
 public:
  explicit Augment(const AugmentOptions& options);

  void apply(
      const image::Canvas& canvas,
      const Draw& draw,
      AugmentScratch& scratch) const;
  // Its two parts: the vertical flip, which timm counts with the crop, and the
  // rest.
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
  AugmentPolicy policy_; // or none
};

} // namespace vitrain::data
