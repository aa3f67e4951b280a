#pragma once

#include "job/prepare/prepared_job.h"

namespace vitrain::job {

// Makes the run folder, starts the workers and waits for them, over all
// attempts of the run. Returns the exit code of the run; errors are told on
// stderr.
int supervise(PreparedJob& prepared);

} // namespace vitrain::job
