#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "job/prepare/prepared_job.h"
#include "job/request.h"
#include "launch/devices/devices.h"
#include "launch/devices/open_files.h"

namespace vitrain::job {

// The recipe's section as launch's plain options.
launch::DeviceRequest device_request(const config::DevicesConfig& devices);
// Returns the descriptors needed by the workers of a run on `devices` devices.
launch::OpenFiles open_files(const Job& job, int devices);

// True if dist.sync.group_size is auto, which groups the workers of each
// machine.
bool needs_equal_machines(const config::Recipe& recipe);

// "2 CPU workers with 1 thread each", or the devices by name.
std::string describe_devices(
    const std::vector<std::string>& labels,
    bool cuda,
    int threads,
    std::string_view noun = "worker");

// Chooses this machine's devices and, with several machines, connects to the
// other supervisors: fills in devices, workers, cores, link and their
// descriptions. Throws Error(kUsage).
void choose_devices(PreparedJob& prepared, const Request& request);

} // namespace vitrain::job
