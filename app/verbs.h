#pragma once

#include <string>

#include "config/command_line/arguments.h"

namespace vitrain::app {

// One function per verb: wiring only. Each returns the exit code.
int train(const config::Arguments& arguments, const std::string& command_line);
int config_verb(const config::Arguments& arguments);
int data_verb(const config::Arguments& arguments);
int devices();
int models();
int version();

} // namespace vitrain::app
