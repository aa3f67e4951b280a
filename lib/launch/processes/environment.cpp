#include "launch/processes/environment.h"

#include <unistd.h>

#include <algorithm>

#include "core/check.h"
#include "core/text.h"
#include "launch/processes/rendezvous.h"
#include "launch/processes/worker_process.h"

namespace vitrain::launch {
namespace {

constexpr std::int64_t kMaxThreads = 1024;

// Returns the thread count in a variable; 0 if it is not set or blank. OpenMP
// allows a list with one number per nesting level; the first one applies here.
// Throws Error(kUsage) unless it is in [1, kMaxThreads].
int threads_from(const Environment& user, const char* name) {
  const auto found = user.find(name);
  if (found == user.end() || trim(found->second).empty()) {
    return 0;
  }
  const std::string first = split(found->second, ',').front();
  std::int64_t threads = 0;
  VITRAIN_CHECK(
      parse_int(trim(first), threads) && threads >= 1 && threads <= kMaxThreads,
      ExitCode::kUsage,
      "{}={}: expected a number of threads per worker in [1, {}]; unset it to "
      "share the cores evenly",
      name,
      printable(found->second),
      kMaxThreads);
  return static_cast<int>(threads);
}

// Sets how OpenMP's threads wait for work. By default, GNU's implementation
// spins for milliseconds, which takes the cores from other workers and from the
// loader's threads: one process with 2 threads fell to a sixth of its speed on
// a busy machine.
void set_waiting(Environment& result, int local_workers) {
  if (result.contains("OMP_WAIT_POLICY") || result.contains("GOMP_SPINCOUNT")) {
    return;
  }
  if (local_workers > 1) {
    result["OMP_WAIT_POLICY"] = "PASSIVE";
  } else {
    // Spins for tens of microseconds: enough to catch the next parallel region.
    result["GOMP_SPINCOUNT"] = "10000";
  }
}

// A setting of glibc's allocator, with both of its names.
struct AllocatorSetting {
  const char* tunable;
  const char* variable; // older name, an environment variable; null: none
  const char* value;
};

// Every step allocates and frees the same memory. By default, glibc returns
// large blocks to the kernel at once, which then clears and maps their pages
// again: up to a quarter of a step (docs/performance.md). With these settings,
// large blocks come from the heap, the heap is kept, and it requests huge pages
// where the kernel offers them.
constexpr AllocatorSetting kAllocatorSettings[] = {
    {"glibc.malloc.mmap_max", "MALLOC_MMAP_MAX_", "0"},
    {"glibc.malloc.trim_threshold", "MALLOC_TRIM_THRESHOLD_", "17179869184"},
    {"glibc.malloc.top_pad", "MALLOC_TOP_PAD_", "67108864"},
    {"glibc.malloc.hugetlb", nullptr, "1"},
};

void set_allocator(Environment& result) {
  std::string& tunables = result["GLIBC_TUNABLES"];
  for (const AllocatorSetting& setting : kAllocatorSettings) {
    const bool given = tunables.find(setting.tunable) != std::string::npos ||
        (setting.variable != nullptr && result.contains(setting.variable));
    if (!given) {
      tunables += fmt::format(
          "{}{}={}",
          tunables.empty() ? "" : ":",
          setting.tunable,
          setting.value);
    }
  }
}

} // namespace

Environment current_environment() {
  std::vector<std::string> entries;
  for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
    entries.emplace_back(*entry);
  }
  return environment_from(entries);
}

Environment environment_from(const std::vector<std::string>& entries) {
  Environment result;
  for (const std::string& entry : entries) {
    if (const std::size_t equals = entry.find('='); equals != entry.npos) {
      result.emplace(entry.substr(0, equals), entry.substr(equals + 1));
    }
  }
  return result;
}

int worker_threads(const Environment& user, int cores, int local_workers) {
  const int asked = threads_from(user, "OMP_NUM_THREADS");
  return asked > 0 ? asked : std::max(1, cores / std::max(1, local_workers));
}

Environment worker_environment(
    const Environment& user,
    const WorkerPlace& place) {
  Environment result = user;
  result[variable::kRank] = std::to_string(place.rank);
  result[variable::kLocalRank] = std::to_string(place.local_rank);
  result[variable::kWorldSize] = std::to_string(place.world_size);
  result[variable::kLocalWorldSize] = std::to_string(place.local_world_size);
  result[variable::kMasterAddress] = place.master_address;
  result[variable::kMasterPort] = std::to_string(place.master_port);
  result[variable::kOwnAddress] = place.own_address;
  for (const char* name :
       {variable::kJobFd,
        variable::kListenFd,
        variable::kTerminalFd,
        variable::kHeartbeatFd,
        variable::kLauncher,
        variable::kLaunchParents,
        variable::kStorePrefix}) {
    result.erase(name); // set by a run that started this one
  }

  const int threads = worker_threads(user, place.cores, place.local_world_size);
  for (const char* name : {"OMP_NUM_THREADS", "MKL_NUM_THREADS"}) {
    if (threads_from(user, name) == 0) {
      result[name] = std::to_string(threads);
    }
  }
  set_waiting(result, place.local_world_size);
  set_allocator(result);

  if (is_loopback(place.own_address)) {
    // All workers are on one node: over loopback, they cannot be reached from
    // outside, and the host's name need not resolve.
    result.emplace("GLOO_SOCKET_IFNAME", "lo");
    result.emplace("NCCL_SOCKET_IFNAME", "lo");
  }
  // Mode 3: end the process without aborting communicators, since mode 1
  // conflicts with the flight recorder (pytorch/pytorch#121055).
  result.emplace("TORCH_NCCL_ASYNC_ERROR_HANDLING", "3");
  // Otherwise a worker with an NCCL failure waits for a dump that is not used.
  result.emplace("TORCH_NCCL_DUMP_ON_TIMEOUT", "0");
  return result;
}

std::vector<std::string>
environment_warnings(const Environment& user, int cores, int local_workers) {
  std::vector<std::string> warnings;
  const int threads = worker_threads(user, cores, local_workers);
  if (threads > 1 && threads * local_workers > cores) {
    warnings.push_back(fmt::format(
        "OMP_NUM_THREADS={} for each of {} is more than the {} of this "
        "machine: "
        "unset it to share them evenly",
        threads,
        counted(local_workers, "worker"),
        counted(cores, "core")));
  }
  return warnings;
}

} // namespace vitrain::launch
