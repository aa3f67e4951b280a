#pragma once

#include <optional>
#include <string>

#include "job/prepare/prepared_job.h"
#include "job/request.h"
#include "launch/foreign/launchers.h"

namespace vitrain::job {

// For a process that another launcher has started as one of several workers:
// checks recipe and device, and becomes that worker
// (launch/foreign/exec_worker.h), which settles the rest with the others
// (engine/run/join_job.h). Returns with -dry_run only: on rank 0 the job that
// would be begun, elsewhere nothing. Throws Error.
std::optional<PreparedJob> run_launched(
    const Request& request,
    const launch::LaunchedPlace& place);

} // namespace vitrain::job
