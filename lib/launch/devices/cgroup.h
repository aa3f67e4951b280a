#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <vector>

namespace vitrain::launch {

// Limits and counters of this process's control group (cgroup v2 or v1).
// Missing files mean "no limit" or "unknown", never an error.
class Cgroup {
 public:
  // `root` replaces "/", so that tests can provide their own /proc and /sys.
  explicit Cgroup(const std::filesystem::path& root = "/");

  // Returns the number of CPUs that the quota allows (quota / period, the
  // smallest from the group up to the root of the hierarchy); nullopt without a
  // quota.
  std::optional<double> cpu_quota() const;

  // Returns the bytes between the group's use (without reclaimable page cache)
  // and its limit: the minimum over the hierarchy up to its root, at least 0;
  // nullopt without a limit.
  std::optional<std::int64_t> memory_left() const;

  // Threads and processes of a group.
  struct Tasks {
    std::int64_t left = 0; // how many more may be started
    std::int64_t limit = 0;
  };
  // Returns the numbers of the group, or of a parent, that has the fewest left;
  // nullopt without a limit.
  std::optional<Tasks> tasks() const;

  // Returns the number of processes that the kernel killed for lack of memory
  // in the group or, if it has no such count, in its nearest parent with one;
  // nullopt if there is none.
  std::optional<std::int64_t> oom_kills() const;

 private:
  // Folders of the group and its parents, nearest first: of cgroup v2, and of
  // v1's controllers cpu, memory and pids.
  std::vector<std::filesystem::path> unified_;
  std::vector<std::filesystem::path> cpu_;
  std::vector<std::filesystem::path> memory_;
  std::vector<std::filesystem::path> pids_;
};

} // namespace vitrain::launch
