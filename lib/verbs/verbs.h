#pragma once

#include <optional>

#include "config/command_line/arguments.h"

// Verbs that need neither torch nor more than a moment.
namespace vitrain::verbs {

// Help, or what such a verb does; returns the exit code. Nothing: another verb,
// for which the arguments have the recipe of a run that they name, as of
// with_run_recipe().
std::optional<int> quick_verb(config::Arguments& arguments);

// With the recipe of a run where the command line names a run instead of a
// file: -cfg RUN, and without -cfg -resume RUN or -eval -pretrained RUN. Throws
// Error(kUsage) where such a run has none.
config::Arguments with_run_recipe(config::Arguments arguments);

// One function per verb: wiring only. Each returns the exit code.
int completion(const config::Arguments& arguments);
int config_verb(const config::Arguments& arguments);
int config_from(const config::Arguments& arguments);
int devices();
int man();

} // namespace vitrain::verbs
