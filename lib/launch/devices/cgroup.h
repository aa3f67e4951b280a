#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <vector>

namespace vitrain::launch {

// What the control group of this process (cgroup v2 or v1) allows and has seen.
// Files that are missing mean "no limit" and "unknown", never an error.
class Cgroup {
 public:
  // `root` stands for "/", so that tests can lay out their own /proc and /sys.
  explicit Cgroup(const std::filesystem::path& root = "/");

  // CPUs that the quota allows (quota / period, the tightest on the way to the
  // root of the hierarchy); nothing without a quota.
  std::optional<double> cpu_quota() const;

  // Bytes between what the group uses, page cache that can be given back
  // aside, and its limit: the least on the way to the root of the hierarchy,
  // never below 0; nothing without a limit.
  std::optional<std::int64_t> memory_left() const;

  // Processes of the group that the kernel killed for lack of memory since the
  // group exists; nothing where the kernel does not count them.
  std::optional<std::int64_t> oom_kills() const;

 private:
  // The group's folder and its parents, nearest first.
  std::vector<std::filesystem::path> unified_;
  std::vector<std::filesystem::path> cpu_;
  std::vector<std::filesystem::path> memory_;
};

} // namespace vitrain::launch
