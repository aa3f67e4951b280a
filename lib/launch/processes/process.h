#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

#include "core/system/system.h"
#include "launch/foreign/environment.h"

namespace vitrain::launch {

// Environment at its start; empty if this process may not read it.
Environment environment_of(pid_t pid);
std::vector<std::string> arguments_of(pid_t pid);

// Name in process lists: "bash".
std::string name_of_process(pid_t pid);

// True if it ignores SIGHUP, as under nohup.
bool ignores_hangup(pid_t pid);

} // namespace vitrain::launch
