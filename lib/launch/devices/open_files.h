#pragma once

#include <cstdint>

namespace vitrain::launch {

// Facts that determine how many file descriptors rank 0 needs, which needs the
// most: for its own files, and for connections to every other worker.
struct OpenFiles {
  int workers = 1; // of the run
  bool servers = false; // async_ps: servers need more descriptors per worker
  bool blocks = false; // some workers also form groups of their own

  std::int64_t need() const;
};

// Raises this process's limit on open files to the hard limit, for the workers
// that it will start or become. Throws Error(kUsage) if the hard limit is too
// low.
void provide_open_files(const OpenFiles& files);

} // namespace vitrain::launch
