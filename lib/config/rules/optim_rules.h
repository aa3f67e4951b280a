#pragma once

#include <vector>

#include "config/rules/checker.h"
#include "config/sections/recipe.h"

namespace vitrain::config {

// Checks, for training, the keys of optim and schedule against each other and
// against dist.
std::vector<Finding> check_optim(const Recipe& recipe);

} // namespace vitrain::config
