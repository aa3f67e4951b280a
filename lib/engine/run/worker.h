#pragma once

namespace vitrain::engine {

// Runs a worker process: reads its job from the supervisor, connects to its
// peers, trains or evaluates, and reports. Returns the exit code; errors are
// written to the worker's log, whose last lines the supervisor shows. Call it
// first in a process that the supervisor started.
int run_worker();

} // namespace vitrain::engine
