#include "data/augment/augment.h"

#include <algorithm>
#include <utility>

#include "image/operations/blur.h"
#include "image/operations/colour_operations.h"
#include "image/operations/flip.h"
#include "image/operations/tones.h"

namespace vitrain::data {
namespace {

bool happens(Random& random, double probability) {
  return random.uniform() < probability;
}

} // namespace

Augment::Augment(const AugmentOptions& options)
    : options_(options),
      policy_(options.policy ? make_policy(*options.policy) : nullptr) {}

void Augment::apply(
    const image::Canvas& canvas,
    const Draw& draw,
    AugmentScratch& scratch) const {
  flip(canvas, draw);
  change(canvas, draw, scratch);
}

void Augment::flip(const image::Canvas& canvas, const Draw& draw) const {
  Random random = stream(options_.seed, Purpose::kVerticalFlip, draw);
  if (happens(random, options_.vertical_flip)) {
    image::flip_vertically(canvas);
  }
}

void Augment::change(
    const image::Canvas& canvas,
    const Draw& draw,
    AugmentScratch& scratch) const {
  const auto numbers = [&](Purpose purpose) {
    return stream(options_.seed, purpose, draw);
  };
  if (policy_) {
    Random random = numbers(Purpose::kAugment);
    policy_(canvas, random, scratch);
  }
  if (Random random = numbers(Purpose::kColorJitter);
      happens(random, options_.jitter_probability)) {
    jitter(canvas, random, scratch);
  }
  if (Random random = numbers(Purpose::kGrayscale);
      happens(random, options_.grayscale)) {
    image::grayscale(canvas);
  }
  if (Random random = numbers(Purpose::kBlur); happens(random, options_.blur)) {
    const auto [low, high] = options_.blur_radius;
    image::gaussian_blur(canvas, random.uniform(low, high), scratch.image);
  }
  if (Random random = numbers(Purpose::kSolarize);
      happens(random, options_.solarize)) {
    image::solarize(canvas, options_.solarize_threshold);
  }
}

// Applies the colour jitter; the order of its operations is random, too.
void Augment::jitter(
    const image::Canvas& canvas,
    Random random,
    AugmentScratch& scratch) const {
  std::array<PixelStep, 4> steps{
      {{PixelOp::kBrightness},
       {PixelOp::kContrast},
       {PixelOp::kSaturation},
       {PixelOp::kHue}}};
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const double reach = options_.jitter[i];
    const double centre = i == 3 ? 0.0 : 1.0;
    const double low = i == 3 ? -reach : std::max(0.0, centre - reach);
    steps[i].argument = random.uniform(low, centre + reach);
    steps[i].op = reach == 0 ? PixelOp::kIdentity : steps[i].op;
  }
  for (std::size_t left = steps.size(); left > 1; --left) {
    std::swap(steps[left - 1], steps[random.below(left)]);
  }
  for (const PixelStep& step : steps) {
    apply_step(step, {}, canvas, scratch.image);
  }
}

} // namespace vitrain::data
