#pragma once

#include <vector>

#include "config/rules/checker.h"
#include "config/schema/problems.h"
#include "config/sections/recipe.h"

namespace vitrain::config {

// Returns the keys set by `-set` that have no effect because their requirement
// (Field::needs) is not met, and a color_jitter from any source that
// auto_augment disables. Keys of files are not checked otherwise: a base file
// may set keys that only some of the files based on it need.
std::vector<Finding> unused_keys(const Recipe& recipe, const Origins& origins);

} // namespace vitrain::config
