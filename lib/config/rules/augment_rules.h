#pragma once

#include <optional>
#include <vector>

#include "config/rules/checker.h"
#include "config/sections/recipe.h"

namespace vitrain::config {

// What is wrong with data.augment's colour keys as a whole.
std::vector<Finding> check_augment(const Recipe& recipe);

// A key of data.augment that another one takes the effect from, if one is.
std::optional<Finding> idle_augment_key(const Recipe& recipe);

// How auto_augment moves pixels: as set, or what its definition takes.
AugmentInterpolation auto_augment_interpolation(const Recipe& recipe);

} // namespace vitrain::config
