#pragma once

#include <string>
#include <string_view>

#include "config/load/loaded.h"

namespace vitrain::config {

// Returns the recipe that results from defaults, `base:` files, the file and
// the overrides; a PaddleViT file is translated (paddlevit.h). Throws
// Error(kUsage) that lists all problems, one per line. Checks ranges and types;
// validate() checks relations between keys.
Loaded load(const LoadRequest& request);

// Returns the recipe in YAML text that to_yaml() wrote; `name` replaces the
// file's name in messages. `base:` is refused. Throws like load().
Recipe from_yaml(std::string_view yaml, const std::string& name = "recipe");

// Same as load(), but adds mistakes to `problems` instead of throwing, for
// callers with further checks.
PartialRecipe read(const LoadRequest& request, Problems& problems);

} // namespace vitrain::config
