#pragma once

#include <string>
#include <vector>

#include "models/families/spec.h"

namespace vitrain::models {

// Returns the layer of each parameter for layer decay: 0 at the input, the
// classifier last, numbers without gaps. `parameters` are names in the
// network's order. Equals timm's groups; for families without rules
// (Family::layers), each twelve successive parameters outside the classifier
// are a layer.
std::vector<int> layers_of(
    const ModelSpec& spec,
    const std::vector<std::string>& parameters);

} // namespace vitrain::models
