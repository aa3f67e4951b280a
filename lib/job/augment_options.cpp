#include "job/augment_options.h"

#include <algorithm>
#include <cmath>

#include "config/rules/augment_rules.h"
#include "config/schema/auto_augment_text.h"

namespace vitrain::job {
namespace {

image::Interpolation interpolation_of(
    config::AugmentInterpolation interpolation) {
  switch (interpolation) {
    case config::AugmentInterpolation::kNearest:
      return image::Interpolation::kNearest;
    case config::AugmentInterpolation::kBilinear:
      return image::Interpolation::kBilinear;
    case config::AugmentInterpolation::kBicubic:
    case config::AugmentInterpolation::kRandom:
      break;
  }
  return image::Interpolation::kBicubic;
}

data::PolicyOptions policy_options(
    const AutoAugment& read,
    const config::Recipe& recipe) {
  const config::AugmentConfig& augment = recipe.data.augment;
  data::PolicyOptions options{read};
  const bool timm = read.source == PolicySource::kTimm;
  if (augment.auto_augment_fill) {
    std::ranges::transform(
        *augment.auto_augment_fill, options.fill.begin(), [](std::int64_t x) {
          return static_cast<std::uint8_t>(x);
        });
  } else if (timm) {
    options.fill = mean_colour(recipe.data.preprocess.mean);
  }
  const config::AugmentInterpolation interpolation =
      config::auto_augment_interpolation(recipe);
  options.interpolation.reset();
  if (interpolation != config::AugmentInterpolation::kRandom) {
    options.interpolation = interpolation_of(interpolation);
  }
  return options;
}

std::array<double, 4> jitter_of(const config::Recipe& recipe) {
  const std::vector<double>& jitter = recipe.data.augment.color_jitter;
  if (jitter.empty() || config::idle_augment_key(recipe)) {
    return {};
  }
  if (jitter.size() == 1) {
    return {jitter[0], jitter[0], jitter[0], 0.0};
  }
  return {jitter[0], jitter[1], jitter[2], jitter.size() > 3 ? jitter[3] : 0.0};
}

} // namespace

std::array<std::uint8_t, 3> mean_colour(const std::array<double, 3>& mean) {
  std::array<std::uint8_t, 3> colour{};
  std::ranges::transform(mean, colour.begin(), [](double value) {
    return static_cast<std::uint8_t>(
        std::clamp(std::nearbyint(255.0 * value), 0.0, 255.0));
  });
  return colour;
}

data::AugmentOptions augment_options(const config::Recipe& recipe) {
  const config::AugmentConfig& augment = recipe.data.augment;
  data::AugmentOptions options{
      .vertical_flip = augment.vertical_flip,
      .jitter = jitter_of(recipe),
      .jitter_probability = augment.color_jitter_prob,
      .grayscale = augment.grayscale,
      .blur = augment.gaussian_blur,
      .blur_radius = augment.gaussian_blur_radius,
      .solarize = augment.solarize,
      .solarize_threshold = static_cast<double>(augment.solarize_threshold),
      .seed = static_cast<std::uint64_t>(recipe.run.seed)};
  AutoAugment read;
  if (augment.auto_augment &&
      config::parse_auto_augment(*augment.auto_augment, read).empty()) {
    options.policy = policy_options(read, recipe);
  }
  return options;
}

} // namespace vitrain::job
