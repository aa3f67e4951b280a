#pragma once

#include <optional>
#include <vector>

#include "config/rules/checker.h"
#include "config/sections/recipe.h"

namespace vitrain::config {

// Checks data.augment's colour keys together.
std::vector<Finding> check_augment(const Recipe& recipe);

// Returns a key of data.augment that has no effect because of another key, if
// any.
std::optional<Finding> idle_augment_key(const Recipe& recipe);

// How auto_augment moves pixels: as set, or what its definition takes.
AugmentInterpolation auto_augment_interpolation(const Recipe& recipe);

} // namespace vitrain::config
