#pragma once

#include <vector>

#include "config/rules/checker.h"
#include "config/sections/recipe.h"

namespace vitrain::config {

// Checks the section optim for training, also against dist.sync.
std::vector<Finding> check_optim(const Recipe& recipe);

} // namespace vitrain::config
