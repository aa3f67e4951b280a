#pragma once

#include <string>
#include <vector>

#include "config/sections/model.h"

namespace vitrain::models {

// Returns the keys of the recipe's section `model` that change the network that
// the name describes, with their values: {"patch_size 4", "depth 6"}. Considers
// only patch_size, embed_dim, depth, num_heads, mlp_ratio, global_pool and the
// decoder's sizes. Empty for an unknown name and for families that have none of
// these keys.
std::vector<std::string> changed_numbers(const config::ModelConfig& config);

} // namespace vitrain::models
