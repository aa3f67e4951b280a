#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "config/rules/checker.h"
#include "config/rules/validate.h"
#include "config/sections/recipe.h"

namespace vitrain::config {

// The recipe as data.augment.stages has it in an epoch, from 1; without stages,
// the same in all. A pure function of both.
Recipe recipe_in_epoch(const Recipe& recipe, std::int64_t epoch);

// The first epochs of all stages, the first of which is 1.
std::vector<std::int64_t> stage_epochs(const Recipe& recipe);

// Checks data.augment and data.batch_size in each stage, and that the stages
// are in order within the run.
std::vector<Finding> check_image_changes(
    const Recipe& recipe,
    const Circumstances& circumstances);

// Returns the findings of `check` in all stages except the first, which is the
// recipe itself.
std::vector<Finding> check_stages(
    const Recipe& recipe,
    const std::function<std::vector<Finding>(const Recipe&)>& check);

} // namespace vitrain::config
