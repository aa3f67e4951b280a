#pragma once

#include <string>
#include <utility>
#include <vector>

#include "config/sections/recipe.h"
#include "logging/event.h"

namespace vitrain::logging {

// Returns every key of a recipe and its value, for experiment trackers: texts
// without quotes, other values as YAML.
std::vector<std::pair<std::string, std::string>> run_parameters(
    config::Recipe recipe);

// Returns the keys that have an effect and differ from their defaults, and the
// most important ones in any case. Each is a column of TensorBoard's table of
// runs.
std::vector<Hyperparameter> hyperparameters(config::Recipe recipe);

} // namespace vitrain::logging
