#pragma once

#include <cstdint>
#include <string>

#include "config/command_line/arguments.h"
#include "config/sections/recipe.h"

namespace vitrain::program {

// One function per verb: wiring only. Each returns the exit code.
int train(const config::Arguments& arguments, const std::string& command_line);
int data_order(const config::Arguments& arguments);
int data_check(const config::Arguments& arguments);
int data_show(const config::Arguments& arguments);
int data_dump(const config::Arguments& arguments);
int data_pack(const config::Arguments& arguments);
int data_unpack(const config::Arguments& arguments);
int models(const config::Arguments& arguments);
int export_verb(const config::Arguments& arguments);
int predict(const config::Arguments& arguments);
int weights(const config::Arguments& arguments);
int report(const config::Arguments& arguments);
int runs(const config::Arguments& arguments);
int show(const config::Arguments& arguments);
int version();

// As many as training would use, started as this process was.
std::int64_t training_devices(
    const config::Arguments& arguments,
    const config::Recipe& recipe);

} // namespace vitrain::program
