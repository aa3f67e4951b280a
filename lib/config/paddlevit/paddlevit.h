#pragma once

#include <set>
#include <span>
#include <string>
#include <vector>

#include "config/load/loaded.h"
#include "config/load/recipe_layers.h"
#include "config/schema/problems.h"

// PaddleViT's config format: YAML files with upper-case keys (DATA, MODEL,
// TRAIN), read as https://github.com/BR-IDL/PaddleViT reads them, and
// translated to a recipe. See docs/guide/other-programs.md, "Coming from
// PaddleViT".
namespace vitrain::config {

// Returns true if one of a file's top-level keys is PaddleViT's.
bool is_paddlevit(const Node& root);
// Returns true for keys such as "TRAIN.BASE_LR".
bool is_paddlevit_key(const std::string& key);

// Element of paddlevit_sets(): all keys are affected.
inline constexpr const char* kAllKeys = "*";
// Returns `own` and the recipe's keys that these keys of PaddleViT set.
std::set<std::string> paddlevit_sets(
    const std::set<std::string>& keys,
    std::set<std::string> own);

// A recipe to which the data path still has to be applied.
struct PaddleVitRecipe {
  Loaded loaded; // its notes name keys without effect
  // DATA.DATA_PATH, to be applied like -data_path.
  std::string data_path;
  Position data_path_position;
  std::set<std::string> wrong; // PaddleViT's keys that have a problem
};

// Translates the layers, and those overrides whose keys are PaddleViT's, on top
// of PaddleViT's defaults. Adds mistakes to `problems`, and for training also
// required values that are missing.
PaddleVitRecipe read_paddlevit(
    std::span<const Layer> layers,
    std::span<const Override> overrides,
    RecipeUse use,
    Problems& problems);

} // namespace vitrain::config
