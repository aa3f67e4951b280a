#pragma once

#include <optional>
#include <string>

#include "job/prepared_job.h"
#include "job/run/request.h"
#include "launch/foreign/launchers.h"

namespace vitrain::job {

// Runs a process that another launcher started as one of several workers:
// checks the recipe and the device, and replaces the process by a worker
// (launch/foreign/exec_worker.h), which agrees on the rest with the other
// workers (engine/run/join_job.h). Returns only for -dry_run: the job on rank
// 0, nullopt on other ranks. Throws Error.
std::optional<PreparedJob> run_launched(
    const Request& request,
    const launch::LaunchedPlace& place);

} // namespace vitrain::job
