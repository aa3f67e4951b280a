#pragma once

#include <string>
#include <vector>

#include "models/spec.h"

namespace vitrain::models {

// Returns the layer of each parameter, for layer decay: 0 at the input, the
// classifier last, without gaps. `parameters` are in the network's order. Equal
// to timm's groups, which are runs of twelve parameters for families without
// rules.
std::vector<int> layers_of(
    const ModelSpec& spec,
    const std::vector<std::string>& parameters);

} // namespace vitrain::models
