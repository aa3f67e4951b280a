#include <cstdio>
#include <string>

#include "config/command_line/reference.h"
#include "config/load/writer.h"
#include "core/error.h"
#include "core/system/print_lines.h"
#include "job/recipe_check.h"
#include "verbs/verbs.h"

namespace vitrain::verbs {

namespace {

// Checks as training on this machine would, but does not read the data. Throws
// Error(kUsage) with the problems; but returns them if the recipe leaves the
// choice of devices to the machine and they only exist without a GPU. "": none.
std::string check_for_this_machine(
    const config::PartialRecipe& loaded,
    const config::Problems& problems) {
  config::CheckContext here =
      job::circumstances_here(loaded, /*training=*/true);
  const auto check = [&] {
    job::check_rules(loaded.recipe, loaded.origins, here, problems);
  };
  try {
    check();
    return "";
  } catch (const Error& error) {
    if (here.cuda || loaded.recipe.devices.kind != DeviceKind::kAuto) {
      throw;
    }
    here.cuda = true;
    check();
    const std::string text = error.what();
    return text.substr(0, text.rfind('\n')); // without the count
  }
}

} // namespace

int config_verb(const config::Arguments& arguments) {
  if (arguments.verb == config::Verb::kConfigReference) {
    std::fputs(config::reference().c_str(), stdout);
    return 0;
  }
  const bool check = arguments.verb == config::Verb::kConfigCheck;
  config::Problems problems;
  const config::PartialRecipe loaded =
      job::load_recipe(arguments.load_request(), problems);
  std::string only_here;
  if (check) {
    only_here = check_for_this_machine(loaded, problems);
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
  if (!only_here.empty()) {
    print_message(
        stderr,
        "note: not on this machine, on which workers have no GPU:\n" +
            only_here);
  }
  for (const std::string& path :
       job::missing_paths(loaded.recipe, loaded.origins, /*training=*/true)) {
    print_message(stderr, "note: " + path + " (on this machine)");
  }
  std::printf(
      "%s: no problems found (recipe %s)\n",
      arguments.cfg.value_or("defaults").c_str(),
      config::recipe_hash(loaded.recipe).c_str());
  return 0;
}

} // namespace vitrain::verbs
