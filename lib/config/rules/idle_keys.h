#pragma once

#include <vector>

#include "config/load/problems.h"
#include "config/rules/checker.h"
#include "config/sections/recipe.h"

namespace vitrain::config {

// The keys that `-set` sets although what they need (Field::needs) is not so,
// and a color_jitter, wherever it is set, that auto_augment switches off. Other
// keys of files are not looked at: a base file may set what only some of the
// files that build on it need.
std::vector<Finding> idle_keys(const Recipe& recipe, const Origins& origins);

} // namespace vitrain::config
