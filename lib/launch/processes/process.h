#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

#include "core/system/system.h"
#include "launch/processes/environment.h"

namespace vitrain::launch {

// Returns the environment of a process at its start; empty if the process has
// ended or this one may not read it.
Environment environment_of(pid_t pid);
// Returns the command line of a process, argv[0] first; empty if unknown.
std::vector<std::string> arguments_of(pid_t pid);

// Returns the name of a process in process lists, such as "bash"; "" if
// unknown. The kernel cuts it to 15 bytes.
std::string name_of_process(pid_t pid);

// Returns true if the process ignores SIGHUP, as under nohup.
bool ignores_hangup(pid_t pid);

} // namespace vitrain::launch
