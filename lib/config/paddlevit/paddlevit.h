#pragma once

#include <set>
#include <span>
#include <string>
#include <vector>

#include "config/load/load_recipe.h"
#include "config/load/problems.h"
#include "config/load/recipe_layers.h"

// PaddleViT's dialect: YAML files with upper-case keys (DATA, MODEL, TRAIN),
// read as https://github.com/BR-IDL/PaddleViT reads them and translated to a
// recipe. docs/guide/other-programs.md, "Coming from PaddleViT".
namespace vitrain::config {

// True when one of a file's first-level keys is one of PaddleViT's.
bool is_paddlevit(const Node& root);
// True for "TRAIN.BASE_LR".
bool is_paddlevit_key(const std::string& key);

// Value of paddlevit_sets(): the problem affects all keys.
inline constexpr const char* kAllKeys = "*";
// Returns the recipe's keys that these keys of PaddleViT set.
std::set<std::string> paddlevit_sets(
    const std::set<std::string>& keys,
    std::set<std::string> own);

// A recipe with pending steps.
struct PaddleVitRecipe {
  Loaded loaded; // its notes: keys without effect
  // DATA.DATA_PATH, to be applied like -data_path.
  std::string data_path;
  Position data_path_position;
  std::set<std::string> wrong; // of PaddleViT's keys: those with a problem
};

// Translates layers, and those overrides that have its keys, over its own
// defaults. What is wrong, and what training would need and is not there, is
// added to `problems`.
PaddleVitRecipe read_paddlevit(
    std::span<const Layer> layers,
    std::span<const Override> overrides,
    RecipeUse use,
    Problems& problems);

} // namespace vitrain::config
