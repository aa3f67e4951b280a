#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>
#include <vector>

#include "launch/foreign/environment.h"

namespace vitrain::launch {

// What /proc/PID/stat says of a process; all zero where there is none.
struct ProcessStatus {
  char state = 0; // 'Z': ended, not yet waited for
  pid_t parent = 0;
  pid_t session = 0;
  int terminal = 0; // that controls it; 0: none
  std::uint64_t start_time = 0; // tells reused pids apart
};
ProcessStatus status_of(pid_t pid);

// As it was started; empty where it is not ours to read.
Environment environment_of(pid_t pid);
std::vector<std::string> arguments_of(pid_t pid);

// What process lists call it: "bash".
std::string name_of_process(pid_t pid);

// Whether it ignores SIGHUP: nohup.
bool ignores_hangup(pid_t pid);

} // namespace vitrain::launch
