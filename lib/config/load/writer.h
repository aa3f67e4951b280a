#pragma once

#include <map>
#include <string>
#include <vector>

#include "config/schema/problems.h"
#include "config/sections/recipe.h"

namespace vitrain::config {

// Returns every key with its value, as YAML that load() reads back to an
// identical recipe (doubles bit for bit). Any YAML 1.1 or 1.2 reader can read
// it. Throws Error(kUsage), as the overloads do, if refuse_user_info() refuses
// a value, which a translation of another program's words may contain.
std::string to_yaml(const Recipe& recipe);

// As to_yaml(recipe), with a comment after each value: the position that set
// it, or "default".
std::string to_yaml(const Recipe& recipe, const Origins& origins);

// Returns only the keys of `comments`, each with its comment after the value;
// "": no comment.
std::string to_yaml(
    const Recipe& recipe,
    const std::map<std::string, std::string>& comments);

// Returns all keys that can change the trained model, with their values: all
// except run.name, run.output, run.max_restarts, run.stop_after, run.max_time,
// checkpoint.async, checkpoint.mirror, devices.*, log.*, data.threads,
// data.decode_memory_mb, dist.timeouts.* and dist.check_every. Values are as
// written by to_yaml().
std::map<std::string, std::string> recipe_values(const Recipe& recipe);

// A key with different values in two recipes; values as written by to_yaml().
struct Difference {
  std::string key;
  std::string before;
  std::string after;
  bool changes_training = false; // the key is in recipe_values()
};
std::vector<Difference> differences(const Recipe& before, const Recipe& after);

// Returns 16 hexadecimal digits, a hash of recipe_values(). Does not depend on
// how or where values were written.
std::string recipe_hash(const Recipe& recipe);

} // namespace vitrain::config
