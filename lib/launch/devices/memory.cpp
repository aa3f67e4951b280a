#include "launch/devices/memory.h"

#include <algorithm>
#include <fstream>
#include <string>
#include <string_view>

#include "core/text.h"
#include "launch/devices/cgroup.h"

namespace vitrain::launch {

std::optional<std::int64_t> available_memory(
    const std::filesystem::path& root) {
  constexpr std::string_view kKey = "MemAvailable:";
  constexpr std::string_view kUnit = " kB";
  std::optional<std::int64_t> available;
  std::ifstream in(root / "proc/meminfo");
  for (std::string line; std::getline(in, line);) {
    std::int64_t kilobytes = 0;
    if (line.starts_with(kKey) && line.ends_with(kUnit) &&
        parse_int(
            trim(std::string_view(line).substr(
                kKey.size(), line.size() - kKey.size() - kUnit.size())),
            kilobytes)) {
      available = kilobytes * 1024;
    }
  }
  const auto left = Cgroup(root).memory_left();
  if (left && (!available || *left < *available)) {
    available = left;
  }
  return available;
}

} // namespace vitrain::launch
