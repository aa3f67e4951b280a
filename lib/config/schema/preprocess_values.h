#pragma once

#include <string>
#include <vector>

#include "config/load/load_recipe.h"
#include "core/text/json.h"

namespace vitrain::config {

// What turns pixels into the input that a network was trained with: the keys
// data.preprocess.* and model.image_size. A checkpoint keeps their values.

// By key: {"data.preprocess.mean": [0.485, 0.456, 0.406], ...}.
Json preprocess_values(const Recipe& recipe);

// What to do where a recipe differs from values that weights bring with them.
enum class PreprocessUse {
  kAdopt, // take them, but for keys that somebody has set
  kCompare, // leave the recipe as it is
};

// Applies or compares such values (without data.preprocess.pillow they are of
// version 12); origins say who has set a key. Returns a
// sentence for every difference, and for what was done about it. Throws
// Error(kWeights) for values that cannot be read, or that are of a key which is
// not known here. `source` names the weights.
std::vector<std::string> use_preprocess_values(
    const Json& values,
    const std::string& source,
    PreprocessUse use,
    Recipe& recipe,
    Origins& origins);

} // namespace vitrain::config
