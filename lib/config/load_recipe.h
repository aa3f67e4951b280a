#pragma once

#include <string>
#include <string_view>

#include "config/load/loaded.h"

namespace vitrain::config {

// Returns the recipe that results from defaults, `base:` files, the file, the
// overrides and -data_path; keys of a PaddleViT file are translated. Throws
// Error(kUsage) with Problems::text(). Checks names, types and ranges of keys;
// validate() checks relations between keys.
Loaded load(const LoadRequest& request);

// Returns the recipe in YAML text that to_yaml() wrote; omitted keys have their
// default. `name` replaces the file's name in messages. `base:` is refused.
// Throws like load().
Recipe from_yaml(std::string_view yaml, const std::string& name = "recipe");

// Same as load(), but adds mistakes to `problems` instead of throwing, for
// callers with further checks. If `problems` is not empty at the end, the
// result has `unread` keys and no notes on unused keys; for
// RecipeUse::kEvaluation it never has such notes.
PartialRecipe read(const LoadRequest& request, Problems& problems);

} // namespace vitrain::config
