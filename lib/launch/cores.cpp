#include "launch/cores.h"

#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <memory>

#include "launch/cgroup.h"

namespace vitrain::launch {
namespace {

struct FreeCpuSet {
  void operator()(cpu_set_t* set) const { CPU_FREE(set); }
};

int affinity_cores() {
  // The kernel refuses masks that are smaller than its own: double until it
  // fits.
  for (int cpus = 1024; cpus <= (1 << 20); cpus *= 2) {
    const std::unique_ptr<cpu_set_t, FreeCpuSet> set(CPU_ALLOC(cpus));
    if (set == nullptr) {
      break;
    }
    const std::size_t size = CPU_ALLOC_SIZE(cpus);
    CPU_ZERO_S(size, set.get());
    if (::sched_getaffinity(0, size, set.get()) == 0) {
      return CPU_COUNT_S(size, set.get());
    }
    if (errno != EINVAL) {
      break;
    }
  }
  return static_cast<int>(::sysconf(_SC_NPROCESSORS_ONLN));
}

} // namespace

int available_cores(const std::filesystem::path& root) {
  double cores = affinity_cores();
  if (const auto quota = Cgroup(root).cpu_quota()) {
    cores = std::min(cores, std::ceil(*quota));
  }
  return std::max(1, static_cast<int>(cores));
}

} // namespace vitrain::launch
