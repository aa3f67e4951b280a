#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "job/prepared_job.h"
#include "job/run/request.h"
#include "launch/devices/devices.h"
#include "launch/devices/open_files.h"

namespace vitrain::job {

// Returns devices.kind, .count and .ids as launch's request.
launch::DeviceRequest device_request(const config::DevicesConfig& devices);
// Returns the facts that determine how many file descriptors a worker needs in
// a run on `devices` devices (of all machines).
launch::OpenFiles open_files(const Job& job, int devices);

// True if dist.sync.mode is post_local_sgd and dist.sync.group_size is auto,
// which makes a group of each machine's workers.
bool needs_equal_machines(const config::Recipe& recipe);

// Returns the `labels` of the devices, joined by ", "; if `cuda` is false, "2
// CPU workers with 1 thread each" (number of labels, `noun`, `threads`).
std::string describe_devices(
    const std::vector<std::string>& labels,
    bool cuda,
    int threads,
    std::string_view noun = "worker");

// Chooses this machine's devices and, for several machines, connects to the
// other supervisors. Sets the fields of `prepared` and of its job for devices,
// workers, threads, cores and link, and adds notes. Throws Error(kUsage), and
// as NodeLink.
void resolve_devices(PreparedJob& prepared, const Request& request);

} // namespace vitrain::job
