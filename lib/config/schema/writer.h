#pragma once

#include <map>
#include <string>
#include <vector>

#include "config/load/problems.h"
#include "config/sections/recipe.h"

namespace vitrain::config {

// Every key with its value, as YAML that load() reads back to an identical
// recipe (doubles bit for bit). Readable by any YAML 1.1 or 1.2 reader.
std::string to_yaml(const Recipe& recipe);

// Writes each value with a comment: the position that set it, or "default".
std::string to_yaml(const Recipe& recipe, const Origins& origins);

// Writes only the keys of `comments`, each with its comment after the value.
std::string to_yaml(
    const Recipe& recipe,
    const std::map<std::string, std::string>& comments);

// Returns all keys that can change the trained model, with their values: all
// except run.name, run.output, run.max_restarts, run.stop_after, devices.*,
// log.*, data.threads, dist.timeouts.* and dist.check_every.
std::map<std::string, std::string> recipe_values(const Recipe& recipe);

// A key with different values in two recipes, as to_yaml() writes them.
struct Difference {
  std::string key;
  std::string before;
  std::string after;
  bool changes_training = false; // one of recipe_values()
};
std::vector<Difference> differences(const Recipe& before, const Recipe& after);

// 16 hexadecimal digits over recipe_values(). Independent of how and where the
// values were written.
std::string recipe_hash(const Recipe& recipe);

} // namespace vitrain::config
