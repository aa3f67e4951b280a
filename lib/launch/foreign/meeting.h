#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>

#include "launch/foreign/environment.h"

namespace vitrain::launch {

// The process that started the workers of this node: the nearest ancestor
// without the rank's variable, past shells and scripts that workers were
// wrapped in.
struct LauncherProcess {
  pid_t pid = 0;
  std::uint64_t start_time = 0; // of /proc/PID/stat: tells reused pids apart
  Environment environment; // as it was started; empty where it is not ours

  std::string id() const; // no other process has it
};
LauncherProcess find_launcher_process(const std::string& rank_variable);

// How the workers of one launcher on one node tell one another a number without
// a port that all know: rank 0 listens on an abstract Unix socket named after
// the launch, which only processes of this user are answered on.
struct Meeting {
  std::string name; // the same for all workers of one launch
  int rank = 0;
  int size = 1;
  double timeout = 600; // seconds
};

// Rank 0 tells `port` to each of the others and returns it; the others return
// what rank 0 told. Throws Error(kWorkerDied) naming the ranks that did not
// come in time.
int meet(const Meeting& meeting, int port);

// A name for the workers of `launch` (LaunchedPlace::launch_id, or the id of
// the launcher's process), when they are started for the `attempt`-th time.
std::string meeting_name(const std::string& launch, int attempt);

} // namespace vitrain::launch
