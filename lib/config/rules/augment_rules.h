#pragma once

#include <optional>
#include <vector>

#include "config/rules/checker.h"
#include "config/sections/recipe.h"

namespace vitrain::config {

// Checks data.augment's colour keys together.
std::vector<Finding> check_augment(const Recipe& recipe);

// Returns a finding if auto_augment makes data.augment.color_jitter
// ineffective; nullopt otherwise.
std::optional<Finding> idle_augment_key(const Recipe& recipe);

// Returns the interpolation of auto_augment's operations: the recipe's, or else
// the default of the definition.
AugmentInterpolation auto_augment_interpolation(const Recipe& recipe);

} // namespace vitrain::config
