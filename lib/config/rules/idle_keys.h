#pragma once

#include <vector>

#include "config/load/problems.h"
#include "config/rules/checker.h"
#include "config/sections/recipe.h"

namespace vitrain::config {

// Returns keys of `-set` whose requirement (Field::needs) is not met, and a
// color_jitter, wherever it is set, that auto_augment disables. Other keys of
// files are not checked: a base file may set keys that only some of its users
// need.
std::vector<Finding> idle_keys(const Recipe& recipe, const Origins& origins);

} // namespace vitrain::config
