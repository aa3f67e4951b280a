#pragma once

namespace vitrain::engine {

// Runs a worker process: reads its job, connects to its peers, trains or
// evaluates, and reports. Returns the exit code; after an error it writes the
// error to the worker's log, whose last lines the supervisor shows (under
// another launcher also to standard error), and exits the process. Call it
// first in a process that vitrain's supervisor or another launcher started.
int run_worker();

} // namespace vitrain::engine
