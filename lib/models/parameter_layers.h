#pragma once

#include <string>
#include <vector>

#include "models/spec.h"

namespace vitrain::models {

// The layer of each of a network's parameters, given in the order in which the
// network has them: 0 at the input, the classifier last, numbered without gaps.
// What layer decay goes by; equal to timm's groups, which for families that
// have no layers of their own are runs of twelve parameters.
std::vector<int> layers_of(
    const ModelSpec& spec,
    const std::vector<std::string>& parameters);

} // namespace vitrain::models
