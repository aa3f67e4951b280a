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

// Returns true if one of a file's top-level keys is PaddleViT's, as TRAIN or
// BASE.
bool is_paddlevit(const Node& root);
// Returns true for keys such as "TRAIN.BASE_LR", which begin with a capital.
bool is_paddlevit_key(const std::string& key);

// Element of paddlevit_sets(): all keys are affected.
inline constexpr const char* kAllKeys = "*";
// Returns `own` and the recipe's keys that `keys`, PaddleViT's keys or
// sections, set; also model.name and model.image_size for any key below MODEL,
// and kAllKeys for MODEL.TYPE, which the defaults depend on.
std::set<std::string> paddlevit_sets(
    const std::set<std::string>& keys,
    std::set<std::string> own);

// A recipe to which the data path still has to be applied.
struct PaddleVitRecipe {
  Loaded loaded; // vitrain's defaults if MODEL.TYPE is refused
  // DATA.DATA_PATH, to be applied like -data_path.
  std::string data_path;
  Position data_path_position;
  std::set<std::string> wrong; // PaddleViT's keys that have a problem
};

// Translates the layers (at least one), and those overrides whose keys are
// PaddleViT's, on top of PaddleViT's defaults. Adds mistakes and refused values
// to `problems`; kTraining refuses more values than other uses
// (paddlevit::limits()).
PaddleVitRecipe read_paddlevit(
    std::span<const Layer> layers,
    std::span<const Override> overrides,
    RecipeUse use,
    Problems& problems);

} // namespace vitrain::config
