#pragma once

#include "job/prepared_job.h"

namespace vitrain::job {

// Creates the run folder unless a run is resumed, starts the workers and waits
// for them, restarting them if necessary. If the run is complete, only prints
// that. Returns the run's exit code; errors of workers are printed on stderr.
// Throws Error for its own errors.
int supervise(PreparedJob& prepared);

} // namespace vitrain::job
