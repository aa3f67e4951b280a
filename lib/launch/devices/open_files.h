#pragma once

#include <cstdint>

namespace vitrain::launch {

// File descriptors that the neediest worker of a run, rank 0, has open at a
// time: what it needs alone, and connections to each of the others.
struct OpenFiles {
  int workers = 1; // of the run
  bool servers = false; // parameter servers connect everybody once more
  bool blocks = false; // some workers have groups of their own as well

  std::int64_t need() const;
};

// Raises this process's limit on open files to what it may be, for the workers
// that it will start or become. Throws Error(kUsage) when that is less than
// they need.
void provide_open_files(const OpenFiles& files);

} // namespace vitrain::launch
