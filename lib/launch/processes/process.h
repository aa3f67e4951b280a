#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

#include "core/system/system.h"
#include "launch/foreign/environment.h"

namespace vitrain::launch {

// As it was started; empty where it is not ours to read.
Environment environment_of(pid_t pid);
std::vector<std::string> arguments_of(pid_t pid);

// What process lists call it: "bash".
std::string name_of_process(pid_t pid);

// Whether it ignores SIGHUP: nohup.
bool ignores_hangup(pid_t pid);

} // namespace vitrain::launch
