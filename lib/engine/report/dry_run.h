#pragma once

#include <string>

#include "job/prepared_job.h"
#include "logging/terminal_style.h"

namespace vitrain::engine {

// Returns the output of -dry_run: the banner with which the run would begin,
// the parameter groups of training, for CPU workers an estimate of a worker's
// memory, warnings, and which weights the run would load. `has_weights`: this
// machine has the weights; false: they are not checked. The banner is wrapped
// at `columns`. Throws the Error(kUsage) or Error(kWeights) that a run would
// throw for its network, settings or weights.
std::string dry_run(
    const job::PreparedJob& prepared,
    bool has_weights,
    int columns = logging::TerminalStyle{}.columns);

} // namespace vitrain::engine
