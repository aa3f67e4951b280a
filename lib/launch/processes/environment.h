#pragma once

#include <map>
#include <string>
#include <vector>

namespace vitrain::launch {

using Environment = std::map<std::string, std::string>;

// Returns a copy of this process's environment.
Environment current_environment();
// Parses "NAME=value" texts; skips texts without "=". The first of equal names
// counts.
Environment environment_from(const std::vector<std::string>& entries);

// Position of a worker in its run, and facts it shares with the other workers.
struct WorkerPlace {
  int rank = 0;
  int local_rank = 0;
  int world_size = 1;
  int local_world_size = 1;
  std::string master_address = "127.0.0.1";
  int master_port = 0;
  // Address of this machine to which peers connect. Loopback if all workers are
  // on this machine.
  std::string own_address = "127.0.0.1";
  int cores = 1; // of this node, shared by its workers
};

// Returns the number of OpenMP threads of each worker: OMP_NUM_THREADS if the
// user set it (the first number of a list), else max(1, cores / workers).
// Throws Error(kUsage) for a value that is not a number in [1, 1024].
int worker_threads(const Environment& user, int cores, int local_workers);

// Returns the environment of a worker: the user's, plus ranks, rendezvous,
// threads and settings of libraries (OpenMP's waiting, glibc's allocator, Gloo,
// NCCL). Variables that the user has set are kept, except for those in
// namespace `variable` (worker_process.h); GLIBC_TUNABLES is extended.
// CUDA_VISIBLE_DEVICES is passed on unchanged: every worker sees all devices
// and picks its own, because hiding devices from one another breaks NCCL's
// peer-to-peer paths. Throws like worker_threads(), also for MKL_NUM_THREADS.
Environment worker_environment(
    const Environment& user,
    const WorkerPlace& place);

// Returns a warning, one sentence, if the user's OMP_NUM_THREADS gives each
// worker several threads, together more than the machine has cores; otherwise
// empty. Throws like worker_threads().
std::vector<std::string>
environment_warnings(const Environment& user, int cores, int local_workers);

} // namespace vitrain::launch
