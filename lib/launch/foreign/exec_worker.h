#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "core/files/files.h"
#include "launch/foreign/environment.h"
#include "launch/foreign/launch_parents.h"
#include "launch/foreign/launchers.h"

namespace vitrain::launch {

// What a process that another launcher has started needs to become a worker.
struct ExecWorkerOptions {
  // Of the worker's program.
  std::filesystem::path executable = "/proc/self/exe";
  std::vector<std::string> arguments{"vitrain", "--worker"};
  LaunchedPlace place;
  std::vector<LaunchParent> parents; // of this process
  std::string job; // JSON text, read by read_worker_context()
  Environment environment; // the user's, see worker_environment()
  int cores = 1; // of this node
  double setup_timeout = 600; // seconds until the peers must be there
};

// Finds the address of rank 0's store, and replaces this process by a worker:
// the launcher keeps seeing the process that it started, and the worker has the
// same environment and descriptors as one of our supervisor's, without a
// heartbeat. Returns only by throwing Error: kUsage when the port is in use,
// kWorkerDied when peers or the master cannot be found.
[[noreturn]] void exec_worker(const ExecWorkerOptions& options);

// The environment of a launched worker as its user left it: torchrun sets
// OMP_NUM_THREADS to 1 where it was not set, which starves decoding and
// training on CPUs, so that is taken back.
Environment without_launcher_defaults(
    Environment environment,
    const Environment& of_launcher);

} // namespace vitrain::launch
