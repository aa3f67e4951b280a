#pragma once

#include "job/prepared_job.h"

namespace vitrain::job {

// Creates the run folder, starts the workers and waits for them, restarting
// them if necessary. Returns the run's exit code; errors of workers are printed
// on stderr. Throws Error for its own errors.
int supervise(PreparedJob& prepared);

} // namespace vitrain::job
