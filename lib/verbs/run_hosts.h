#pragma once

#include <vector>

#include "config/command_line/arguments.h"
#include "launch/nodes/hosts.h"

namespace vitrain::verbs {

// Returns the machines of -hosts, empty without it. Throws Error(kUsage) if
// another option contradicts their workers.
std::vector<launch::Host> named_hosts(const config::Arguments& arguments);

// Checks the recipe as each of these machines would begin with it, and prints
// their commands, or with -ssh runs them. Returns the exit code.
int run_hosts(
    const config::Arguments& arguments,
    const std::vector<launch::Host>& hosts);

} // namespace vitrain::verbs
