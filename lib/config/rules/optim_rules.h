#pragma once

#include <vector>

#include "config/rules/checker.h"
#include "config/sections/recipe.h"

namespace vitrain::config {

// What is wrong with the section optim of a training, and with it and how
// workers exchange.
std::vector<Finding> check_optim(const Recipe& recipe);

} // namespace vitrain::config
