#pragma once

#include "dist/group/connect.h"
#include "job/run/job.h"
#include "launch/processes/worker_process.h"

namespace vitrain {
class CudaPlugin;
} // namespace vitrain

namespace vitrain::engine {

// Selects the device number `local_rank` of the job and sets the global options
// of MKL and torch. Returns the plugin on CUDA devices, otherwise null. Call it
// before the first torch call of the process.
const CudaPlugin* set_up_device(const job::Job& job, int local_rank);

// Connects this worker with all other workers of the job. `cuda`: result of
// set_up_device(). Collective.
dist::Groups connect_workers(
    const job::Job& job,
    const launch::WorkerContext& context,
    const CudaPlugin* cuda);

} // namespace vitrain::engine
