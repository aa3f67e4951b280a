#pragma once

#include <string>
#include <vector>

#include "config/load/loaded.h"
#include "core/json.h"

namespace vitrain::config {

// Preprocessing of a trained network: the keys data.preprocess.* and
// model.image_size, which a checkpoint stores.

// Returns the values by key: {"data.preprocess.mean": [0.485, 0.456, 0.406],
// ...}.
Json preprocess_values(const Recipe& recipe);

// Treatment of differences between a recipe and the values stored with weights.
enum class PreprocessUse {
  kAdopt, // use the stored values, except for keys set by the user
  kCompare, // keep the recipe's values
};

// Applies stored values to the recipe or compares them (records without
// data.preprocess.pillow are of Pillow 12). `origins`: tells which keys the
// user set. Returns a sentence for every difference and its treatment. Throws
// Error(kWeights) for unreadable values and unknown keys. `source`: name of the
// weights, for messages.
std::vector<std::string> use_preprocess_values(
    const Json& values,
    const std::string& source,
    PreprocessUse use,
    Recipe& recipe,
    Origins& origins);

} // namespace vitrain::config
