#include "launch/devices/memory.h"

#include <string>
#include <string_view>

#include "core/system.h"
#include "core/text.h"
#include "launch/devices/cgroup.h"

namespace vitrain::launch {

std::optional<std::int64_t> available_memory(
    const std::filesystem::path& root) {
  constexpr std::string_view kUnit = " kB";
  const auto value = value_after(root / "proc/meminfo", "MemAvailable:");
  std::optional<std::int64_t> available;
  std::int64_t kilobytes = 0;
  if (value && value->ends_with(kUnit) &&
      parse_int(
          std::string_view(*value).substr(0, value->size() - kUnit.size()),
          kilobytes)) {
    available = kilobytes * 1024;
  }
  const auto left = Cgroup(root).memory_left();
  if (left && (!available || *left < *available)) {
    available = left;
  }
  return available;
}

} // namespace vitrain::launch
