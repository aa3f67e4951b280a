#pragma once

#include <optional>
#include <string>
#include <vector>

#include "config/recipe.h"

namespace vitrain::config {

// A key whose value does not go with others.
struct Finding {
  std::string key;
  std::string text;
  // Other keys, or sections, that the rule reads: it says nothing where one of
  // them could not be read.
  std::vector<std::string> others{};
};

// What is wrong with data.augment's colour keys as a whole.
std::vector<Finding> check_augment(const Recipe& recipe);

// A key of data.augment that another one takes the effect from, if one is.
std::optional<Finding> idle_augment_key(const Recipe& recipe);

// How auto_augment moves pixels: as set, or what its definition takes.
AugmentInterpolation auto_augment_interpolation(const Recipe& recipe);

} // namespace vitrain::config
