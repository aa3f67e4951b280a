#pragma once

#include <optional>
#include <string>
#include <vector>

#include "models/spec.h"

namespace vitrain::models {

// What a name alone says: every number but the classes (1000). None when the
// name belongs to no family.
std::optional<ModelSpec> find_model(const std::string& name);

// The names that `vitrain models` lists.
std::vector<std::string> listed_names();

// "vit", "resnet", "convnet", "mlp".
const char* family_name(Family family);

} // namespace vitrain::models
