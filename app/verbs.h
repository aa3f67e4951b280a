#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "config/command_line/arguments.h"
#include "config/sections/recipe.h"

namespace vitrain::app {

// One function per verb: wiring only. Each returns the exit code.
int train(const config::Arguments& arguments, const std::string& command_line);
int completion(const config::Arguments& arguments);
int config_verb(const config::Arguments& arguments);
int config_from(const config::Arguments& arguments);
int data_order(const config::Arguments& arguments);
int data_check(const config::Arguments& arguments);
int data_show(const config::Arguments& arguments);
int data_dump(const config::Arguments& arguments);
int data_pack(const config::Arguments& arguments);
int data_unpack(const config::Arguments& arguments);
int devices();
int man();
int models(const config::Arguments& arguments);
int export_verb(const config::Arguments& arguments);
int predict(const config::Arguments& arguments);
int weights(const config::Arguments& arguments);
int report(const config::Arguments& arguments);
int runs(const config::Arguments& arguments);
int show(const config::Arguments& arguments);
int version();

// With the recipe of a run where the command line names a run instead of a
// file: -cfg RUN, and without -cfg -resume RUN or -eval -pretrained RUN. Throws
// Error(kUsage) where such a run has none.
config::Arguments with_run_recipe(config::Arguments arguments);

// Help, and verbs that need neither torch nor more than a moment. Nothing:
// another verb, for which the arguments have the recipe of a run that they
// name, as of with_run_recipe().
std::optional<int> quick_verb(config::Arguments& arguments);

// As many as training would use, started as this process was.
std::int64_t training_devices(
    const config::Arguments& arguments,
    const config::Recipe& recipe);

} // namespace vitrain::app
