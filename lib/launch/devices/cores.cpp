#include "launch/devices/cores.h"

#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <map>
#include <memory>
#include <numeric>

#include "core/check.h"
#include "core/text.h"
#include "launch/devices/cgroup.h"

namespace vitrain::launch {
namespace {

struct FreeCpuSet {
  void operator()(cpu_set_t* set) const { CPU_FREE(set); }
};

} // namespace

std::vector<int> affinity_cpus() {
  // The kernel refuses masks that are smaller than its own, so double the size
  // until it fits.
  for (int cpus = 1024; cpus <= (1 << 20); cpus *= 2) {
    const std::unique_ptr<cpu_set_t, FreeCpuSet> set(CPU_ALLOC(cpus));
    if (set == nullptr) {
      break;
    }
    const std::size_t size = CPU_ALLOC_SIZE(cpus);
    CPU_ZERO_S(size, set.get());
    if (::sched_getaffinity(0, size, set.get()) == 0) {
      std::vector<int> found;
      for (int cpu = 0; cpu < cpus; ++cpu) {
        if (CPU_ISSET_S(static_cast<std::size_t>(cpu), size, set.get())) {
          found.push_back(cpu);
        }
      }
      return found;
    }
    if (errno != EINVAL) {
      break;
    }
  }
  const auto online = ::sysconf(_SC_NPROCESSORS_ONLN);
  std::vector<int> all(static_cast<std::size_t>(std::max(1L, online)));
  std::iota(all.begin(), all.end(), 0);
  return all;
}

SharedCores share_cores(
    const std::vector<std::vector<int>>& masks,
    const std::filesystem::path& root) {
  std::map<int, int> users; // number of workers that may use each CPU
  for (const std::vector<int>& mask : masks) {
    for (const int cpu : mask) {
      ++users[cpu];
    }
  }
  auto all = static_cast<double>(users.size());
  double most = all; // limit for each worker
  if (const auto quota = Cgroup(root).cpu_quota(); quota && *quota < all) {
    all = std::ceil(*quota);
    most = all / static_cast<double>(masks.size());
  }
  SharedCores cores{.all = std::max(1, static_cast<int>(all)), .each = {}};
  for (const std::vector<int>& mask : masks) {
    double share = 0;
    for (const int cpu : mask) {
      share += 1.0 / users[cpu];
    }
    // The sum of shares such as 1/3 may be slightly below a whole number by
    // rounding.
    cores.each.push_back(
        std::max(1, static_cast<int>(std::min(share, most) + 1e-6)));
  }
  return cores;
}

std::optional<std::string> crowding_note(int workers, int cores) {
  if (workers <= cores) {
    return std::nullopt;
  }
  return fmt::format(
      "warning: {} share {}: they take turns, which slows all of them; -np {} "
      "gives each a core",
      counted(workers, "worker"),
      counted(cores, "core"),
      cores);
}

} // namespace vitrain::launch
