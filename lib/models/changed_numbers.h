#pragma once

#include <string>
#include <vector>

#include "config/sections/model.h"

namespace vitrain::models {

// Returns the keys of the recipe's section `model` that give the network other
// numbers than its name does, with their values: {"patch_size 4", "depth 6"}.
// The sizes of images, channels and rates of dropping are not among them. Empty
// for an unknown name.
std::vector<std::string> changed_numbers(const config::ModelConfig& config);

} // namespace vitrain::models
