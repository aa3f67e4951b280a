#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "config/rules/checker.h"
#include "config/rules/validate.h"
#include "config/sections/recipe.h"

namespace vitrain::config {

// Returns the recipe with the changes of data.augment.stages that apply in an
// epoch (from 1). Without stages, returns the recipe. A pure function.
Recipe recipe_in_epoch(const Recipe& recipe, std::int64_t epoch);

// Returns the first epoch of every stage; the first element is 1.
std::vector<std::int64_t> stage_epochs(const Recipe& recipe);

// Checks data.augment and data.batch_size in each stage, and that the stages
// are in order within the run.
std::vector<Finding> check_image_changes(
    const Recipe& recipe,
    const CheckContext& context);

// Returns the findings of `check` for all stages except the first, which is the
// unchanged recipe.
std::vector<Finding> check_stages(
    const Recipe& recipe,
    const std::function<std::vector<Finding>(const Recipe&)>& check);

} // namespace vitrain::config
