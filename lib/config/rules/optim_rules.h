#pragma once

#include <vector>

#include "config/rules/checker.h"
#include "config/sections/recipe.h"

namespace vitrain::config {

// Checks the section optim of a training, also against the exchange between
// workers.
std::vector<Finding> check_optim(const Recipe& recipe);

} // namespace vitrain::config
