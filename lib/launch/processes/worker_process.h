#pragma once

#include <string>

#include "core/system/files.h"

namespace vitrain::launch {

// Names of environment variables through which the supervisor configures its
// workers. Where torchrun has a variable, its name is used, so that libraries
// and tools find it.
namespace variable {
inline constexpr const char* kRank = "RANK";
inline constexpr const char* kLocalRank = "LOCAL_RANK";
inline constexpr const char* kWorldSize = "WORLD_SIZE";
inline constexpr const char* kLocalWorldSize = "LOCAL_WORLD_SIZE";
inline constexpr const char* kMasterAddress = "MASTER_ADDR";
inline constexpr const char* kMasterPort = "MASTER_PORT";
// Numeric address at which the peers reach this machine.
inline constexpr const char* kOwnAddress = "VITRAIN_ADDRESS";
// Name of the launcher, in a worker that another launcher started.
inline constexpr const char* kLauncher = "VITRAIN_LAUNCHER";
// Processes whose end ends the worker: to_text() of LaunchParents.
inline constexpr const char* kLaunchParents = "VITRAIN_LAUNCH_PARENTS";
// Prefix of this attempt's keys in a store that outlives the workers.
inline constexpr const char* kStorePrefix = "VITRAIN_STORE_PREFIX";
// Number of the descriptor of a sealed memory file (make_memfd) with the job's
// JSON text. Other inherited descriptors, such as dataset indexes, keep their
// numbers, so that the job names them by number.
inline constexpr const char* kJobFd = "VITRAIN_JOB_FD";
inline constexpr const char* kListenFd = "VITRAIN_LISTEN_FD";
inline constexpr const char* kTerminalFd = "VITRAIN_TERMINAL_FD";
inline constexpr const char* kHeartbeatFd = "VITRAIN_HEARTBEAT_FD";
} // namespace variable

// A worker's properties, read from its environment.
struct WorkerContext {
  int rank = 0;
  int local_rank = 0;
  int world_size = 1;
  int local_world_size = 1;
  std::string master_address;
  int master_port = 0;
  std::string own_address;
  std::string launcher; // name of the launcher; empty: vitrain's supervisor
  std::string store_prefix;
  // Processes whose end ends this worker (launch_parents.h); empty unless
  // another launcher started it.
  std::string launch_parents;
  std::string job; // JSON text
  Fd heartbeat; // shared memory of heartbeat.h; empty under another launcher
  // Rank 0: the bound and listening socket for its TCPStore; empty if the
  // launcher has a store, in a single worker, and in other ranks.
  Fd listen;
  Fd terminal; // rank 0: output for the user: a terminal, a pipe or /dev/null

  bool launched() const { return !launcher.empty(); }
};

// Reads the environment of a worker, takes over its descriptors (close-on-exec
// from here on) and names the process "vitrain:<rank>" in process lists. Call
// it once, at the start of the worker's main(). Throws Error(kUsage) if a
// variable or descriptor is missing: this process is no worker.
WorkerContext read_worker_context();

// Returns the descriptor (3 or more) whose number is in an environment
// variable. Throws Error(kUsage) unless it is set and open.
int inherited_descriptor(const char* name);

} // namespace vitrain::launch
