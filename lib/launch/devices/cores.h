#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace vitrain::launch {

// Returns the CPUs of this process's affinity mask.
std::vector<int> affinity_cpus();

// Returns the number of cores for each worker of a machine, given the workers'
// affinity masks: mpirun and srun may have bound each worker to cores of its
// own, or none. Each CPU is shared evenly by the workers that may use it. At
// least 1 each.
std::vector<int> core_shares(const std::vector<std::vector<int>>& masks);

// Returns the number of CPUs that this process may use: its affinity mask,
// limited by the CPU quota of its control group (rounded up). At least 1.
// `root` replaces "/" in the paths of the control group's files.
int available_cores(const std::filesystem::path& root = "/");

// Returns a warning if a machine has more workers than cores.
std::optional<std::string> crowding_note(int workers, int cores);

} // namespace vitrain::launch
