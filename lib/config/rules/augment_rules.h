#pragma once

#include <optional>
#include <vector>

#include "config/rules/checker.h"
#include "config/sections/recipe.h"

namespace vitrain::config {

// Checks data.augment.color_jitter: 0, 1, 3 or 4 values, the hue at most 0.5.
std::vector<Finding> check_augment(const Recipe& recipe);

// Returns a finding if data.augment.color_jitter is set but auto_augment
// disables it; nullopt otherwise.
std::optional<Finding> idle_augment_key(const Recipe& recipe);

// Returns the interpolation of auto_augment's operations:
// data.augment.auto_augment_interpolation; if that is null, the default of the
// program that defines the policy. timm: as training crops (bicubic for box,
// hamming and lanczos); other programs: bilinear for AugMix, nearest for other
// policies.
AugmentInterpolation auto_augment_interpolation(const Recipe& recipe);

} // namespace vitrain::config
