#pragma once

#include <optional>
#include <string>
#include <vector>

#include "models/model_counts.h"

namespace vitrain::app {

// Returns the counts of the networks (verbs::CountModels) from the build's
// table; nullopt if `vitrain models` does not list one of the names.
std::optional<std::vector<models::ModelCounts>> counts_in_table(
    const std::vector<std::string>& names);

} // namespace vitrain::app
