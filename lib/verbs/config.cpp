#include <cstdio>

#include "config/command_line/reference.h"
#include "config/load/writer.h"
#include "core/system/print_lines.h"
#include "job/recipe_check.h"
#include "verbs/verbs.h"

namespace vitrain::verbs {

int config_verb(const config::Arguments& arguments) {
  if (arguments.verb == config::Verb::kConfigReference) {
    std::fputs(config::reference().c_str(), stdout);
    return 0;
  }
  const bool check = arguments.verb == config::Verb::kConfigCheck;
  config::Problems problems;
  const config::Reading loaded =
      job::load_recipe(arguments.load_request(), problems);
  // Checks as training on this machine would, but does not read the data.
  if (check) {
    job::check_rules(
        loaded.recipe,
        loaded.origins,
        job::circumstances_here(loaded, /*training=*/true),
        problems);
  }
  problems.throw_if_any();
  print_lines(stderr, loaded.notes);
  if (!check) {
    const std::string text = arguments.origin
        ? config::to_yaml(loaded.recipe, loaded.origins)
        : config::to_yaml(loaded.recipe);
    std::fputs(text.c_str(), stdout);
    return 0;
  }
  for (const std::string& path :
       job::missing_paths(loaded.recipe, loaded.origins, /*training=*/true)) {
    print_message(stderr, "note: " + path + " on this machine");
  }
  std::printf(
      "%s: no problems found (recipe %s)\n",
      arguments.cfg.value_or("defaults").c_str(),
      config::recipe_hash(loaded.recipe).c_str());
  return 0;
}

} // namespace vitrain::verbs
