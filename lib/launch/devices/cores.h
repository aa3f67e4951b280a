#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace vitrain::launch {

// Returns the CPUs of this process's affinity mask; all online CPUs if the mask
// cannot be read.
std::vector<int> affinity_cpus();

// Numbers of cores, at least 1.
struct SharedCores {
  int all = 1; // cores that the workers of a machine may use together
  std::vector<int> each; // cores of each worker
};

// Shares the cores of a machine among its workers, given the workers' affinity
// masks: mpirun and srun may have bound each worker to cores of its own, or
// none. Each CPU is shared evenly by the workers that may use it. The CPU quota
// of this process's control group (rounded up) limits `all`, and an equal part
// of it each worker. `root` replaces "/" in the paths of the control group's
// files.
SharedCores share_cores(
    const std::vector<std::vector<int>>& masks,
    const std::filesystem::path& root = "/");

// Returns the number of CPUs that this process may use: those of its affinity
// mask, at most the CPU quota (rounded up).
inline int available_cores(const std::filesystem::path& root = "/") {
  return share_cores({affinity_cpus()}, root).all;
}

// Returns a text that begins with "warning: " if a machine has more workers
// than cores; else nullopt.
std::optional<std::string> crowding_note(int workers, int cores);

} // namespace vitrain::launch
