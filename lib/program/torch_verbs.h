#pragma once

#include "config/command_line/arguments.h"

namespace vitrain::program {

// One function per verb that needs torch: wiring only. Each returns the exit
// code.
int models(const config::Arguments& arguments);
int export_verb(const config::Arguments& arguments);
int predict(const config::Arguments& arguments);
int weights(const config::Arguments& arguments);
int version();

} // namespace vitrain::program
