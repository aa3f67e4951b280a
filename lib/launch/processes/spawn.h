#pragma once

#include <sys/types.h>

#include <filesystem>
#include <string>
#include <vector>

#include "launch/foreign/environment.h"

namespace vitrain::launch {

struct SpawnOptions {
  // The default is this program itself, even when its file was replaced.
  std::filesystem::path executable = "/proc/self/exe";
  std::vector<std::string> arguments; // with argv[0]
  Environment environment;
  int output = -1; // becomes the child's descriptors 1 and 2
  // Stay open in the child under the same numbers (all above 2); everything
  // else is closed by exec. Descriptor 0 is /dev/null.
  std::vector<int> inherited;
};

// Returns pointers to the texts for exec, with a final null pointer. The texts
// must outlive them.
std::vector<char*> exec_pointers(std::vector<std::string>& texts);
// "NAME=value" for each variable.
std::vector<std::string> exec_environment(const Environment& environment);

// Starts a program by fork and exec: its own process group, SIGKILL when the
// thread that called this ends (so also when this process is killed), default
// signal handlers, stop_signals() blocked (see signals.h). Returns its pid; the
// caller reaps it. Throws Error with the reason when the program cannot be
// started: kUsage where a limit of this machine is in the way, else kInternal.
pid_t spawn(const SpawnOptions& options);

} // namespace vitrain::launch
