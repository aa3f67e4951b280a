#pragma once

#include <vector>

#include "config/command_line/arguments.h"
#include "launch/supervise/hosts.h"

namespace vitrain::verbs {

// Returns the hosts of -hosts; empty without that option. Throws Error(kUsage)
// if the list is invalid or another option contradicts its numbers of workers.
std::vector<launch::Host> named_hosts(const config::Arguments& arguments);

// Checks the recipe as each of `hosts` would at its start, then prints the
// hosts' commands, or, with -ssh but without -dry_run, runs them. Returns the
// exit code. Throws Error(kUsage) if the recipe breaks rules.
int run_hosts(
    const config::Arguments& arguments,
    const std::vector<launch::Host>& hosts);

} // namespace vitrain::verbs
