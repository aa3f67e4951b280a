#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace vitrain::launch {

// The CPUs of this process's affinity mask.
std::vector<int> affinity_cpus();

// Cores for each of the workers of a machine that have these masks: mpirun and
// srun may have bound them to cores of their own, or not at all. Each CPU is
// shared evenly by the workers that may use it. At least 1 each.
std::vector<int> core_shares(const std::vector<std::vector<int>>& masks);

// CPUs that this process may use: its affinity mask, cut to the CPU quota of
// its control group (rounded up). At least 1. `root` stands for "/" where the
// control group's files are read.
int available_cores(const std::filesystem::path& root = "/");

// Returns a warning if a machine has more workers than cores.
std::optional<std::string> crowding_note(int workers, int cores);

} // namespace vitrain::launch
