#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "core/system/files.h"
#include "launch/foreign/launch_parents.h"
#include "launch/foreign/launchers.h"
#include "launch/processes/environment.h"

namespace vitrain::launch {

// Inputs for turning a process started by another launcher into a worker.
struct ExecWorkerOptions {
  // The worker's program.
  std::filesystem::path executable = "/proc/self/exe";
  std::vector<std::string> arguments{"vitrain", "--worker"};
  LaunchedPlace place;
  std::vector<LaunchParent> parents; // of this process
  std::string job; // JSON text, read by read_worker_context()
  // The user's environment; worker_environment() adds the worker's variables.
  Environment environment;
  int cores = 1; // of this node
  double setup_timeout = 600; // seconds to wait for the peers
};

// Finds the address of rank 0's store, and replaces this process by a worker.
// The launcher keeps seeing the process that it started. The worker has the
// same environment and descriptors as one that vitrain's supervisor starts,
// except for a heartbeat. Returns only by throwing Error: kUsage if the port is
// in use, or unknown although there are several machines, if another process is
// rank 0 as well, or for an invalid OMP_NUM_THREADS; kWorkerDied if peers or
// the master cannot be found; kInternal if exec fails.
[[noreturn]] void exec_worker(const ExecWorkerOptions& options);

// Returns a launched worker's environment without the launcher's own defaults:
// torchrun sets OMP_NUM_THREADS to 1 if it was unset, which slows down decoding
// and training on CPUs. `of_launcher`: environment of the launcher's process;
// empty (unknown): nothing is removed.
Environment without_launcher_defaults(
    Environment environment,
    const Environment& of_launcher);

} // namespace vitrain::launch
