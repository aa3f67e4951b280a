#pragma once

#include <filesystem>

namespace vitrain::launch {

// CPUs that this process may use: its affinity mask, cut to the CPU quota of
// its control group (rounded up). At least 1. `root` stands for "/" where the
// control group's files are read.
int available_cores(const std::filesystem::path& root = "/");

} // namespace vitrain::launch
