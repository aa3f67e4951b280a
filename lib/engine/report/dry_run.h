#pragma once

#include <string>

#include "job/prepared_job.h"
#include "logging/terminal_style.h"

namespace vitrain::engine {

// Returns the output of -dry_run: the banner with which the run would begin, an
// estimate of a CPU worker's memory, and which weights the run would load. The
// weights need to be present only on the machine that reads them
// (`has_weights`). The banner is wrapped at `columns`. Throws Error(kWeights)
// if a run would.
std::string dry_run(
    const job::PreparedJob& prepared,
    bool has_weights,
    int columns = logging::TerminalStyle{}.columns);

} // namespace vitrain::engine
