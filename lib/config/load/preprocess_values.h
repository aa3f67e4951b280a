#pragma once

#include <string>
#include <vector>

#include "config/load/loaded.h"
#include "core/json.h"

namespace vitrain::config {

// Preprocessing of a trained network: the keys data.preprocess.* and
// model.image_size, which a checkpoint stores.

// Returns the recipe's values by key: {"data.preprocess.mean": [0.485, 0.456,
// 0.406], ...}.
Json preprocess_values(const Recipe& recipe);

// Treatment of differences between a recipe and the values stored with weights.
enum class PreprocessUse {
  kAdopt, // use the stored values, except for keys set by the user
  kCompare, // keep the recipe's values
};

// Applies the stored `values` to the recipe or compares them (records without
// data.preprocess.pillow are of Pillow 12). Keys in `origins`, except those
// with kDefault, were set by the user, and a user who set one of crop_pct and
// resize set both; kAdopt adds the keys that it changes. Returns a sentence for
// every difference and its treatment. Throws Error(kWeights) for unreadable
// values and for other keys. `source`: name of the weights, for messages.
std::vector<std::string> use_preprocess_values(
    const Json& values,
    const std::string& source,
    PreprocessUse use,
    Recipe& recipe,
    Origins& origins);

} // namespace vitrain::config
