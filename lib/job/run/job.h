#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "config/rules/plan.h"
#include "config/sections/recipe.h"
#include "core/json.h"
#include "data/load/samplers.h"
#include "data/sources/index.h"
#include "job/run/run_directory.h"

namespace vitrain::job {

enum class JobMode { kTrain, kEval };

// Facts that a worker started by another launcher determines alone, before it
// can communicate with the other workers (engine/run/join_job.h).
struct Joining {
  std::string resume; // value of -resume; empty: a new run
  bool take_over = false; // -take_over
  std::string device; // label of this worker's device
  std::string device_id; // UUID of its GPU, if known
  // Keys that the record of the weights could set, but that the user has set in
  // the recipe.
  std::vector<std::string> own_keys;
};
VITRAIN_JSON(Joining, resume, take_over, device, device_id, own_keys)

// Message of the supervisor to every worker, as JSON in a sealed memfd: the
// resolved recipe, and facts determined once for all workers.
struct Job {
  JobMode mode = JobMode::kTrain;
  config::Recipe recipe;
  std::string config_path; // as given (banner, run's name); empty: no file
  std::string command_line;
  std::string run_directory; // absolute path
  std::string resume; // checkpoint folder to resume from, or empty
  std::int64_t resumed_step = 0;
  bool cuda = false;
  // Compute capability of the oldest GPU, 10 * major + minor; 0: unknown.
  int capability = 0;
  // Numbers of this machine's CUDA devices, in the order of local ranks (0 for
  // CPUs). Under another launcher, every element is this worker's own device,
  // because the other workers' devices are unknown.
  std::vector<int> ordinals;
  std::string device_text; // "2 CPU workers with 1 thread each"
  // Descriptor with the bytes of a data::Index; -1 when only evaluating.
  int train_index_fd = -1;
  int eval_index_fd = -1;
  int threads = 1; // intra-op threads per worker; 0: join_job() decides
  int cores_per_worker = 1;
  // Start time of vitrain, in CLOCK_BOOTTIME seconds.
  double process_start = 0.0;
  std::string version; // version of vitrain
  int restarts = 0; // number of restarts of this run
  Joining joining; // used under another launcher
  // Nonce of the lock on the run folder (LockFile), for the lease of rank 0; ""
  // if this machine does not hold the lock.
  std::string lock;

  RunDirectory run() const { return {run_directory}; }
  // True if one worker trains on all devices.
  bool single_process() const;
  // Returns the number of devices that train, for a job with `world` workers.
  int devices(int world) const;
  // True if collectives use NCCL, false if Gloo; does not depend on the number
  // of workers.
  bool uses_nccl() const;
  // Returns how `world` workers communicate: "gloo", "nccl" (also one GPU
  // worker), "none (one worker)", or, for single_process(), "threads of one
  // process".
  std::string backend(int world) const;

  std::string to_json() const;
  // Throws Error(kInternal) for text that to_json() did not write.
  static Job from_json(const std::string& text);
};
// Fields stored under their names. Mode and recipe have text formats of their
// own.
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

// Computes the numbers of batches and steps of a job. For an evaluation
// (`samplers` is null) sets only the number of workers and the samples and
// batch of the evaluation. Throws as config::make_plan.
config::Plan plan_job(
    const Job& job,
    int devices,
    const data::Samplers* samplers,
    const data::Index& eval);

// Return CLOCK_BOOTTIME seconds: now, and at the start of this process (now if
// /proc does not tell).
double boot_seconds();
double process_start_seconds();

} // namespace vitrain::job
