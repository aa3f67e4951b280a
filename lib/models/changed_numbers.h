#pragma once

#include <string>
#include <vector>

#include "config/sections/model.h"

namespace vitrain::models {

// Returns the keys of the recipe's section `model` that change the network that
// the name describes, with their values: {"patch_size 4", "depth 6"}. Does not
// include image size, channels, and rates of dropout and stochastic depth.
// Empty for an unknown name.
std::vector<std::string> changed_numbers(const config::ModelConfig& config);

} // namespace vitrain::models
