#pragma once

#include <string>

#include "job/prepare/prepared_job.h"
#include "logging/terminal/terminal_style.h"

namespace vitrain::engine {

// What -dry_run prints: the banner that the run would begin with, what a worker
// on a CPU needs of memory, and what becomes of the weights that it starts
// from. Those need only be on the machine that reads them (`has_weights`).
// The banner is wrapped at `columns`. Throws Error(kWeights) where a run would.
std::string dry_run(
    const job::PreparedJob& prepared,
    bool has_weights,
    int columns = logging::TerminalStyle{}.columns);

} // namespace vitrain::engine
