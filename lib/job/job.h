#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "config/rules/plan.h"
#include "config/sections/recipe.h"
#include "core/text/json.h"
#include "data/order/samplers.h"
#include "data/sources/index.h"
#include "job/run/run_directory.h"

namespace vitrain::job {

enum class JobMode { kTrain, kEval };

// Facts that a worker of another launcher determines alone, before it can talk
// to the other workers (join_job.h).
struct Joining {
  std::string resume; // what -resume means; empty: a new run
  bool take_over = false; // -take_over
  std::string device; // label of this worker's device
  std::string device_id; // UUID of its GPU, if known
  // Keys that weights could decide, and that somebody has set in the recipe.
  std::vector<std::string> own_keys;
};
VITRAIN_JSON(Joining, resume, take_over, device, device_id, own_keys)

// The supervisor's message to every worker, as JSON in a sealed memfd: the
// resolved recipe, and facts determined once for all workers.
struct Job {
  JobMode mode = JobMode::kTrain;
  config::Recipe recipe;
  std::string config_path; // as given, for the banner; empty: defaults only
  std::string command_line;
  std::string run_directory; // absolute
  std::string resume; // checkpoint folder to continue from, or empty
  std::int64_t resumed_step = 0;
  bool cuda = false;
  int capability = 0; // of its oldest GPU: 10 * major + minor; 0: unknown
  std::vector<int> ordinals; // CUDA ordinal of each local worker's device
  std::string device_text; // "2 x CPU worker (1 thread each)"
  int train_index_fd = -1; // data::Index bytes; -1 when evaluating only
  int eval_index_fd = -1;
  int threads = 1; // intra-op threads of a worker; 0: join_job() decides
  int cores_per_worker = 1;
  double process_start = 0.0; // CLOCK_BOOTTIME seconds at which vitrain started
  std::string version; // of vitrain
  int restarts = 0; // how often this run has been started again
  Joining joining; // under another launcher
  // Nonce of the lock on the run folder (LockFile), for the lease of rank 0; ""
  // if this machine has none.
  std::string lock;

  RunDirectory run() const { return {run_directory}; }
  // One worker trains on all devices.
  bool single_process() const;
  // All devices that train, of a job with `world` workers.
  int devices(int world) const;
  // Whether workers exchange by NCCL, otherwise by Gloo.
  bool uses_nccl() const;
  // How `world` workers exchange: "gloo", "nccl", "none (one worker)".
  std::string backend(int world) const;

  std::string to_json() const;
  // Throws Error(kInternal) for text that to_json() did not make.
  static Job from_json(const std::string& text);
};
// All but the mode and the recipe, which have texts of their own.
VITRAIN_JSON(
    Job,
    config_path,
    command_line,
    run_directory,
    resume,
    resumed_step,
    cuda,
    capability,
    ordinals,
    device_text,
    train_index_fd,
    eval_index_fd,
    threads,
    cores_per_worker,
    process_start,
    version,
    restarts,
    joining,
    lock)

// The arithmetic of the job; for an evaluation (`samplers` null) only its batch
// is set. Throws as config::make_plan.
config::Plan make_plan(
    const Job& job,
    int devices,
    const data::Samplers* samplers,
    const data::Index& eval);

// CLOCK_BOOTTIME seconds: now, and when this process was started.
double boot_seconds();
double process_start_seconds();

} // namespace vitrain::job
