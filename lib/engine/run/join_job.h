#pragma once

#include <memory>

#include "core/files/files.h"
#include "core/files/lock_file.h"
#include "dist/group/group.h"
#include "job/job.h"
#include "launch/processes/worker_process.h"
#include "logging/terminal/console.h"

namespace vitrain::engine {

// What join_job() leaves open while the worker runs.
struct JoinedJob {
  bool finished = false; // the run that -resume means has all its steps
  // The dataset indexes, which job names by number.
  Fd train_index;
  Fd eval_index;
  Fd log; // this worker's workerlog.N
  std::unique_ptr<LockFile> lock; // rank 0: on the run folder
  logging::ConsoleOptions console;
};

// Workers that another launcher started find out together what our supervisor
// tells its own: which of them list the datasets (one per machine, whose
// indexes the others map), threads by what each may use of the cores, the run
// folder and the checkpoint to continue from (rank 0 decides). Completes `job`.
// Collective over all ranks. When one rank fails, all throw Error with its code
// and a message that names it. Throws Error(kUsage) when two ranks have one GPU
// and exchange by NCCL.
JoinedJob join_job(
    job::Job& job,
    const launch::WorkerContext& context,
    dist::Group& control);

} // namespace vitrain::engine
