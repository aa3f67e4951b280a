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

// Returns 1, for the unchanged recipe, and the first epoch (from 1) of each
// item of data.augment.stages, in the recipe's order.
std::vector<std::int64_t> stage_epochs(const Recipe& recipe);

// Checks data.augment, the options of train.loss and data.batch_size in the
// unchanged recipe and each stage, and that the stages are in order within the
// run.
std::vector<Finding> check_image_changes(
    const Recipe& recipe,
    const CheckContext& context);

// Returns the findings of `check` for the recipe in each item of
// data.augment.stages, as findings about that key; their texts name the epoch
// and the original key.
std::vector<Finding> check_stages(
    const Recipe& recipe,
    const std::function<std::vector<Finding>(const Recipe&)>& check);

} // namespace vitrain::config
