#include "launch/devices/cgroup.h"

#include <algorithm>
#include <fstream>
#include <string>
#include <string_view>

#include "core/text.h"

namespace vitrain::launch {
namespace {

using std::filesystem::path;

// First line of a small kernel file, or "" when it cannot be read.
std::string first_line(const path& file) {
  std::ifstream in(file);
  std::string line;
  std::getline(in, line);
  return line;
}

// Folders from mount/group up to mount, as far as they exist. Inside a
// container the group's path may be that of the host and lead nowhere: then
// only the mount itself, which is the container's own group, is left.
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

// The number after `key` in a file of "key number" lines.
std::optional<std::int64_t> keyed_number(
    const path& file,
    std::string_view key) {
  std::ifstream in(file);
  for (std::string line; std::getline(in, line);) {
    std::int64_t value = 0;
    if (line.size() > key.size() && line.starts_with(key) &&
        line[key.size()] == ' ' &&
        parse_int(trim(std::string_view(line).substr(key.size())), value)) {
      return value;
    }
  }
  return std::nullopt;
}

// What `folder` has left of a limit; nothing where there is none.
std::optional<std::int64_t> left_of(
    const path& folder,
    const char* limit_file,
    const char* usage_file,
    std::string_view cache_key) {
  std::int64_t limit = 0;
  std::int64_t usage = 0;
  // "max", or a number beyond all memory, is no limit.
  if (!parse_int(first_line(folder / limit_file), limit) ||
      limit >= (std::int64_t{1} << 60) ||
      !parse_int(first_line(folder / usage_file), usage)) {
    return std::nullopt;
  }
  const std::int64_t cache =
      keyed_number(folder / "memory.stat", cache_key).value_or(0);
  return std::max<std::int64_t>(0, limit - usage + cache);
}

void tighten(
    std::optional<std::int64_t>& least,
    std::optional<std::int64_t> left) {
  if (left) {
    least = std::min(least.value_or(*left), *left);
  }
}

void tighten(std::optional<double>& limit, double quota, double period) {
  if (quota > 0 && period > 0) {
    limit = std::min(limit.value_or(quota / period), quota / period);
  }
}

} // namespace

Cgroup::Cgroup(const path& root) {
  const path mount = root / "sys/fs/cgroup";
  std::ifstream in(root / "proc/self/cgroup");
  // Lines are "hierarchy:controllers:path"; the path may contain colons.
  for (std::string line; std::getline(in, line);) {
    const std::size_t first = line.find(':');
    const std::size_t second =
        first == std::string::npos ? first : line.find(':', first + 1);
    if (second == std::string::npos) {
      continue;
    }
    const std::string names = line.substr(first + 1, second - first - 1);
    const std::string group = line.substr(second + 1);
    if (names.empty()) {
      // A hybrid system mounts the second version below "unified".
      unified_ = folders(mount / "unified", group);
      if (unified_.empty()) {
        unified_ = folders(mount, group);
      }
      continue;
    }
    const std::vector<std::string> controllers = split(names, ',');
    for (const std::string& controller : controllers) {
      if (controller != "cpu" && controller != "memory") {
        continue;
      }
      std::vector<path> found = folders(mount / controller, group);
      if (found.empty()) {
        found = folders(mount / names, group);
      }
      (controller == "cpu" ? cpu_ : memory_) = std::move(found);
    }
  }
}

std::optional<double> Cgroup::cpu_quota() const {
  std::optional<double> limit;
  for (const path& folder : unified_) {
    // "max 100000" or "150000 100000".
    const std::vector<std::string> words =
        split(first_line(folder / "cpu.max"), ' ');
    double quota = 0;
    double period = 0;
    if (words.size() == 2 && parse_double(words[0], quota) &&
        parse_double(words[1], period)) {
      tighten(limit, quota, period);
    }
  }
  for (const path& folder : cpu_) {
    double quota = 0;
    double period = 0;
    if (parse_double(first_line(folder / "cpu.cfs_quota_us"), quota) &&
        parse_double(first_line(folder / "cpu.cfs_period_us"), period)) {
      tighten(limit, quota, period); // -1: no quota
    }
  }
  return limit;
}

std::optional<std::int64_t> Cgroup::memory_left() const {
  std::optional<std::int64_t> least;
  for (const path& folder : unified_) {
    tighten(
        least,
        left_of(folder, "memory.max", "memory.current", "inactive_file"));
  }
  for (const path& folder : memory_) {
    tighten(
        least,
        left_of(
            folder,
            "memory.limit_in_bytes",
            "memory.usage_in_bytes",
            "total_inactive_file"));
  }
  return least;
}

std::optional<std::int64_t> Cgroup::oom_kills() const {
  for (const path& folder : unified_) {
    if (const auto count = keyed_number(folder / "memory.events", "oom_kill")) {
      return count;
    }
  }
  for (const path& folder : memory_) {
    if (const auto count =
            keyed_number(folder / "memory.oom_control", "oom_kill")) {
      return count;
    }
  }
  return std::nullopt;
}

} // namespace vitrain::launch
