#pragma once

#include <string>

#include "core/files/files.h"

namespace vitrain::launch {

// Names of the environment variables by which supervisor and worker agree.
// Those of torchrun are kept, so that libraries and tools find them.
namespace variable {
inline constexpr const char* kRank = "RANK";
inline constexpr const char* kLocalRank = "LOCAL_RANK";
inline constexpr const char* kWorldSize = "WORLD_SIZE";
inline constexpr const char* kLocalWorldSize = "LOCAL_WORLD_SIZE";
inline constexpr const char* kMasterAddress = "MASTER_ADDR";
inline constexpr const char* kMasterPort = "MASTER_PORT";
// Numeric address of this machine that the peers reach.
inline constexpr const char* kOwnAddress = "VITRAIN_ADDRESS";
// Set in a worker that another launcher started: that one's name.
inline constexpr const char* kLauncher = "VITRAIN_LAUNCHER";
// Environment variable with the processes whose end ends the worker, see
// launch_parents.h.
inline constexpr const char* kLaunchParents = "VITRAIN_LAUNCH_PARENTS";
// Prefix of the keys in a store that outlives the workers.
inline constexpr const char* kStorePrefix = "VITRAIN_STORE_PREFIX";
// A sealed file in memory (make_memfd) with the job's JSON text. Descriptors
// that workers inherit besides, such as datasets' indexes, keep their numbers,
// so that the job names them by number.
inline constexpr const char* kJobFd = "VITRAIN_JOB_FD";
inline constexpr const char* kListenFd = "VITRAIN_LISTEN_FD";
inline constexpr const char* kTerminalFd = "VITRAIN_TERMINAL_FD";
inline constexpr const char* kHeartbeatFd = "VITRAIN_HEARTBEAT_FD";
} // namespace variable

// A worker's facts about itself, read from its environment.
struct WorkerContext {
  int rank = 0;
  int local_rank = 0;
  int world_size = 1;
  int local_world_size = 1;
  std::string master_address;
  int master_port = 0;
  std::string own_address;
  std::string launcher; // that started this worker; empty: our supervisor
  std::string store_prefix;
  std::string launch_parents; // see launch_parents.h; under another launcher
  std::string job; // JSON text
  Fd heartbeat; // shared memory of heartbeat.h; none under another launcher
  // Rank 0: the bound and listening socket for its TCPStore; none where the
  // launcher has a store.
  Fd listen;
  Fd terminal; // rank 0: where people read

  bool launched() const { return !launcher.empty(); }
};

// Reads the environment of a worker, takes over its descriptors (close-on-exec
// from here on) and names the process "vitrain:<rank>" in process lists. Call
// once, at the top of the worker's main. Throws Error(kUsage) when this process
// was not started by the supervisor.
WorkerContext read_worker_context();

// The number in an environment variable that must be an open descriptor.
// Throws Error(kUsage).
int inherited_descriptor(const char* name);

} // namespace vitrain::launch
