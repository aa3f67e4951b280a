#include "config/rules/augment_rules.h"

#include <fmt/format.h>

#include "core/enum_names.h"

namespace vitrain::config {
namespace {

// Returns the interpolation of training crops; bicubic if affine transforms do
// not support it.
AugmentInterpolation interpolation_of_crops(const Recipe& recipe) {
  const TrainInterpolation crops = recipe.data.augment.interpolation;
  const std::string name = crops == TrainInterpolation::kSame
      ? name_of(recipe.data.preprocess.interpolation)
      : name_of(crops);
  // Pillow's affine transforms do not support box, hamming and lanczos; timm
  // fails with these.
  return value_of<AugmentInterpolation>(name).value_or(
      AugmentInterpolation::kBicubic);
}

} // namespace

std::vector<Finding> check_augment(const Recipe& recipe) {
  Checker checker;
  const char* key = "data.augment.color_jitter";
  const std::vector<double>& jitter = recipe.data.augment.color_jitter;
  const std::size_t count = jitter.size();
  checker.require(
      count <= 1 || count == 3 || count == 4,
      key,
      fmt::format(
          "has {} values: expected one for brightness, contrast and saturation "
          "together, one for each, or a fourth for the hue",
          count));
  const double hue = count == 4 ? jitter[3] : 0.0;
  checker.require(
      hue <= 0.5,
      key,
      fmt::format(
          "the fourth value turns the hue by up to {} of the circle: expected "
          "at most 0.5",
          hue));
  return checker.take();
}

AugmentInterpolation auto_augment_interpolation(const Recipe& recipe) {
  const AugmentConfig& augment = recipe.data.augment;
  if (augment.auto_augment_interpolation) {
    return *augment.auto_augment_interpolation;
  }
  AutoAugment read;
  parse_auto_augment(augment.auto_augment.value_or("rand"), read);
  if (read.source == PolicySource::kTimm) {
    return interpolation_of_crops(recipe);
  }
  const bool mix = read.kind == PolicyKind::kMix;
  return mix ? AugmentInterpolation::kBilinear : AugmentInterpolation::kNearest;
}

std::optional<Finding> idle_augment_key(const Recipe& recipe) {
  const AugmentConfig& augment = recipe.data.augment;
  if (augment.color_jitter.empty() || !augment.auto_augment ||
      augment.force_color_jitter || keeps_color_jitter(*augment.auto_augment)) {
    return std::nullopt;
  }
  return Finding{
      "data.augment.color_jitter",
      fmt::format(
          "has no effect: auto_augment is {}, and timm's rule is that only "
          "3-Augment goes with it; force_color_jitter: true takes both",
          *augment.auto_augment)};
}

} // namespace vitrain::config
