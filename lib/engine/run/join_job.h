#pragma once

#include <memory>

#include "core/system/files.h"
#include "core/system/lock_file.h"
#include "dist/group/group.h"
#include "job/run/job.h"
#include "launch/processes/worker_process.h"
#include "logging/console.h"

namespace vitrain::engine {

// Result of join_job(): resources that stay open while the worker runs.
struct JoinedJob {
  bool finished = false; // the run to resume is already complete
  // Dataset indexes, to which `job` refers by descriptor number. train_index is
  // invalid if the job only evaluates.
  Fd train_index;
  Fd eval_index;
  Fd log; // this worker's workerlog.N; invalid if `finished`
  // Lock on the run folder; null except on rank 0 in training.
  std::unique_ptr<LockFile> lock;
  logging::ConsoleOptions console;
};

// For workers started by another launcher: they agree on the facts that
// vitrain's supervisor would send to its workers, and complete `job`. One rank
// per machine lists the datasets (the machine's other ranks map its indexes);
// threads per worker, unless set, follow from the available cores; rank 0
// chooses the run folder and the checkpoint to resume from. Collective over all
// ranks. If one rank fails, all throw Error with its code and a message that
// names it. Throws Error(kUsage) if two ranks share a GPU with NCCL, or if
// dist.sync.group_size: auto is used and machines differ in their number of
// workers.
JoinedJob join_job(
    job::Job& job,
    const launch::WorkerContext& context,
    dist::Group& control);

} // namespace vitrain::engine
