#pragma once

#include <cstdint>

#include "launch/devices/cgroup.h"

namespace vitrain::launch {

// Facts that determine how many file descriptors rank 0 needs, which needs the
// most: for its own files, and for connections to every other worker.
struct OpenFiles {
  int workers = 1; // of the run
  bool servers = false; // async_ps, whose servers need more descriptors
  bool blocks = false; // some workers also form groups of their own

  // Returns an upper bound of rank 0's open descriptors, from measurements.
  std::int64_t need() const;
};

// Raises this process's limit on open files to the hard limit, for the workers
// that it will start or become. Throws Error(kUsage) if it is then below
// need().
void provide_open_files(const OpenFiles& files);

// Numbers of threads of each worker.
struct WorkerThreads {
  int compute = 1;
  int loading = 1;
};
// Throws Error(kUsage) if the control group of this process does not allow the
// threads of `workers` workers, those of this machine.
void check_tasks(
    const Cgroup& cgroup,
    int workers,
    const WorkerThreads& threads);

} // namespace vitrain::launch
