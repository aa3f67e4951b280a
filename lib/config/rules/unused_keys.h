#pragma once

#include <vector>

#include "config/rules/checker.h"
#include "config/schema/problems.h"
#include "config/sections/recipe.h"

namespace vitrain::config {

// Returns a finding for each key set by `-set` that has no effect because its
// requirement (Field::needs) is not met, and for a color_jitter from any source
// that auto_augment disables. Other sources are not checked: a base file may
// set keys that only some of the files based on it need.
std::vector<Finding> unused_keys(const Recipe& recipe, const Origins& origins);

} // namespace vitrain::config
