#pragma once

#include <sys/types.h>

#include <filesystem>
#include <string>
#include <vector>

#include "launch/processes/environment.h"

namespace vitrain::launch {

struct SpawnOptions {
  // Default: this program itself, even if its file was replaced.
  std::filesystem::path executable = "/proc/self/exe";
  std::vector<std::string> arguments; // including argv[0]
  Environment environment;
  int output = -1; // becomes the child's descriptors 1 and 2; -1: /dev/null
  // Descriptors (all above 2) that stay open in the child under the same
  // numbers. exec closes all other descriptors above 2. Descriptor 0 is
  // /dev/null.
  std::vector<int> inherited;
};

// Returns pointers to the texts for exec, with a final null pointer. The texts
// must outlive them.
std::vector<char*> exec_pointers(std::vector<std::string>& texts);
// Returns "NAME=value" for each variable.
std::vector<std::string> exec_environment(const Environment& environment);

// Starts a program by fork and exec. It has its own process group and default
// signal handlers, stop_signals() blocked (until a StopRequest exists), and
// gets SIGKILL when the thread that called this ends (thus also when this
// process is killed). Returns its pid; the caller must reap it. Throws Error
// with the reason if the program cannot be started: kUsage if a limit of this
// machine prevents it, else kInternal.
pid_t spawn(const SpawnOptions& options);

} // namespace vitrain::launch
