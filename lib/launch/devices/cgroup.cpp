#include "launch/devices/cgroup.h"

#include <algorithm>
#include <array>
#include <fstream>
#include <map>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include "core/system/system.h"
#include "core/text.h"

namespace vitrain::launch {
namespace {

using std::filesystem::path;

// Returns the existing folders from mount/group up to mount. In a container,
// the group's path may be the host's and not exist; the mount itself is then
// the container's own group.
std::vector<path> folders(const path& mount, std::string_view group) {
  std::vector<path> found;
  std::error_code ignored;
  path below = path(group).relative_path();
  while (!below.empty()) {
    if (std::filesystem::is_directory(mount / below, ignored)) {
      found.push_back(mount / below);
    }
    below = below.parent_path();
  }
  if (std::filesystem::is_directory(mount, ignored)) {
    found.push_back(mount);
  }
  return found;
}

// Returns the folders of the first existing mount.
std::vector<path> first_of(
    const std::array<path, 2>& mounts,
    std::string_view group) {
  const std::vector<path> found = folders(mounts[0], group);
  return found.empty() ? folders(mounts[1], group) : found;
}

// Returns the number after `key` in a file of "key number" lines; nullopt if
// there is none.
std::optional<std::int64_t> keyed_number(
    const path& file,
    std::string_view key) {
  const auto text = value_after(file, fmt::format("{} ", key));
  std::int64_t value = 0;
  return text && parse_int(*text, value) ? std::optional(value) : std::nullopt;
}

// Names of the memory files of one version of cgroups.
struct MemoryFiles {
  const char* limit;
  const char* usage;
  const char* cache; // key of the page cache in memory.stat
  const char* kills; // file with the number of kills
};
constexpr MemoryFiles kVersion2{
    "memory.max",
    "memory.current",
    "inactive_file",
    "memory.events"};
constexpr MemoryFiles kVersion1{
    "memory.limit_in_bytes",
    "memory.usage_in_bytes",
    "total_inactive_file",
    "memory.oom_control"};

// Returns the bytes left below the limit of `folder`, where inactive page cache
// counts as free; nullopt without a limit.
std::optional<std::int64_t> memory_left_of(
    const path& folder,
    const MemoryFiles& files) {
  std::int64_t limit = 0;
  std::int64_t usage = 0;
  // "max", or a number beyond any memory size, means no limit.
  if (!parse_int(first_line(folder / files.limit), limit) ||
      limit >= (std::int64_t{1} << 60) ||
      !parse_int(first_line(folder / files.usage), usage)) {
    return std::nullopt;
  }
  const std::int64_t cache =
      keyed_number(folder / "memory.stat", files.cache).value_or(0);
  return std::max<std::int64_t>(0, limit - usage + cache);
}

// Returns quota / period in CPUs; nullopt unless both are positive numbers:
// "max" and -1 mean no quota.
std::optional<double> cpus_of(
    std::string_view quota_text,
    std::string_view period_text) {
  double quota = 0;
  double period = 0;
  const bool limited = parse_double(quota_text, quota) &&
      parse_double(period_text, period) && quota > 0 && period > 0;
  return limited ? std::optional(quota / period) : std::nullopt;
}

// Returns the smaller of two limits; nullopt if there is neither.
template <typename Number>
std::optional<Number> tightest(
    std::optional<Number> one,
    std::optional<Number> other) {
  return one && other ? std::min(*one, *other) : one ? one : other;
}

} // namespace

Cgroup::Cgroup(const path& root) {
  const path mount = root / "sys/fs/cgroup";
  std::ifstream in(root / "proc/self/cgroup");
  // Lines are "hierarchy:controllers:path"; the path may contain colons.
  for (std::string line; std::getline(in, line);) {
    const std::vector<std::string> parts = split(line, ':');
    if (parts.size() < 3) {
      continue;
    }
    const std::string& names = parts[1];
    const std::string group = line.substr(parts[0].size() + names.size() + 2);
    if (names.empty()) {
      // A hybrid system mounts cgroup v2 below "unified".
      unified_ = first_of({mount / "unified", mount}, group);
      continue;
    }
    for (const std::string& controller : split(names, ',')) {
      const std::map<std::string, std::vector<path>*> known{
          {"cpu", &cpu_}, {"memory", &memory_}, {"pids", &pids_}};
      if (const auto found = known.find(controller); found != known.end()) {
        *found->second = first_of({mount / controller, mount / names}, group);
      }
    }
  }
}

std::optional<double> Cgroup::cpu_quota() const {
  std::optional<double> limit;
  for (const path& folder : unified_) {
    // "max 100000" or "150000 100000".
    const auto words = split(first_line(folder / "cpu.max"), ' ');
    if (words.size() == 2) {
      limit = tightest(limit, cpus_of(words[0], words[1]));
    }
  }
  for (const path& folder : cpu_) {
    limit = tightest(
        limit,
        cpus_of(
            first_line(folder / "cpu.cfs_quota_us"),
            first_line(folder / "cpu.cfs_period_us")));
  }
  return limit;
}

std::optional<std::int64_t> Cgroup::memory_left() const {
  std::optional<std::int64_t> least;
  for (const path& folder : unified_) {
    least = tightest(least, memory_left_of(folder, kVersion2));
  }
  for (const path& folder : memory_) {
    least = tightest(least, memory_left_of(folder, kVersion1));
  }
  return least;
}

std::optional<Cgroup::Tasks> Cgroup::tasks() const {
  std::optional<Tasks> least;
  for (const std::vector<path>* hierarchy : {&unified_, &pids_}) {
    for (const path& folder : *hierarchy) {
      std::int64_t limit = 0;
      std::int64_t current = 0;
      if (parse_int(first_line(folder / "pids.max"), limit) &&
          parse_int(first_line(folder / "pids.current"), current)) {
        const std::int64_t left = std::max<std::int64_t>(0, limit - current);
        least = least && least->left <= left ? least : Tasks{left, limit};
      }
    }
  }
  return least;
}

std::optional<std::int64_t> Cgroup::oom_kills() const {
  for (const path& folder : unified_) {
    if (const auto count = keyed_number(folder / kVersion2.kills, "oom_kill")) {
      return count;
    }
  }
  for (const path& folder : memory_) {
    if (const auto count = keyed_number(folder / kVersion1.kills, "oom_kill")) {
      return count;
    }
  }
  return std::nullopt;
}

} // namespace vitrain::launch
