#pragma once

#include <string>
#include <vector>

#include "config/rules/plan.h"
#include "config/sections/recipe.h"

namespace vitrain::config {

// What a reader of the recipe may not expect of this training, seen only with
// the number of steps and the global batch: sentences to tell before the start.
std::vector<std::string> plan_notes(const Recipe& recipe, const Plan& plan);

} // namespace vitrain::config
