#pragma once

#include "job/prepare/prepared_job.h"

namespace vitrain::job {

// Creates the run folder, starts the workers and waits for them, over all
// attempts of the run. Returns the run's exit code; prints errors on stderr.
int supervise(PreparedJob& prepared);

} // namespace vitrain::job
