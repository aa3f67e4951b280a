#pragma once

#include <string>
#include <utility>
#include <vector>

#include "config/sections/recipe.h"
#include "logging/records/event.h"

namespace vitrain::logging {

// Every key of a recipe and its value, as trackers of runs take them: texts
// without quotes, the rest as YAML.
std::vector<std::pair<std::string, std::string>> run_parameters(
    config::Recipe recipe);

// The keys that have an effect and are not as they are by default, and those by
// which runs are compared first: a column each of a table of runs.
std::vector<Hyperparameter> hyperparameters(config::Recipe recipe);

} // namespace vitrain::logging
