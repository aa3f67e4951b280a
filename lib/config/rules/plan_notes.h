#pragma once

#include <string>
#include <vector>

#include "config/rules/plan.h"
#include "config/sections/recipe.h"

namespace vitrain::config {

// Returns notes to print before the run starts, about surprising consequences
// of the recipe that depend on the number of steps or the global batch.
std::vector<std::string> plan_notes(const Recipe& recipe, const Plan& plan);

} // namespace vitrain::config
