#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "job/prepared_job.h"
#include "job/run/request.h"
#include "launch/devices/devices.h"
#include "launch/devices/open_files.h"

namespace vitrain::job {

// Converts the recipe's section `devices` to launch's options.
launch::DeviceRequest device_request(const config::DevicesConfig& devices);
// Returns the numbers of file descriptors that the workers of a run on
// `devices` devices need.
launch::OpenFiles open_files(const Job& job, int devices);

// True if dist.sync.group_size is auto, which makes a group of each machine's
// workers.
bool needs_equal_machines(const config::Recipe& recipe);

// Returns "2 CPU workers with 1 thread each", or the names of the devices.
std::string describe_devices(
    const std::vector<std::string>& labels,
    bool cuda,
    int threads,
    std::string_view noun = "worker");

// Chooses this machine's devices and, for several machines, connects to the
// other supervisors. Sets the fields of `prepared` for devices, workers, cores
// and link, and their descriptions. Throws Error(kUsage).
void choose_devices(PreparedJob& prepared, const Request& request);

} // namespace vitrain::job
