#pragma once

#include <string>

#include "config/command_line/arguments.h"
#include "launch/foreign/launchers.h"

namespace vitrain::engine {

// For a process that another launcher has started as one of several workers:
// checks recipe and device, and becomes that worker
// (launch/foreign/exec_worker.h), which settles the rest with the others
// (join_job.h). With -dry_run, rank 0 prints what would be done and every rank
// returns 0. Otherwise returns only by throwing Error.
int run_launched(
    const config::Arguments& arguments,
    const launch::LaunchedPlace& place,
    const std::string& command_line,
    const std::string& version);

} // namespace vitrain::engine
