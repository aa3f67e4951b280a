#include "launch/devices/memory.h"

#include <sys/statvfs.h>

#include <string>
#include <string_view>

#include <fmt/format.h>

#include "core/system/system.h"
#include "core/text.h"
#include "launch/devices/cgroup.h"

namespace vitrain::launch {

namespace {

// Returns the bytes in a line such as "MemAvailable: 123 kB" of a kernel file;
// nullopt if there is no such line.
std::optional<std::int64_t> bytes_after(
    const std::filesystem::path& file,
    std::string_view key) {
  constexpr std::string_view kUnit = " kB";
  const auto value = value_after(file, key);
  std::int64_t kilobytes = 0;
  const bool is_known = value && value->ends_with(kUnit) &&
      parse_int(std::string_view(*value).substr(
                    0, value->size() - kUnit.size()),
                kilobytes);
  return is_known ? std::optional(kilobytes * 1024) : std::nullopt;
}

} // namespace

std::int64_t peak_resident_memory() {
  return bytes_after("/proc/self/status", "VmHWM:").value_or(0);
}

std::optional<std::int64_t> available_memory(
    const std::filesystem::path& root) {
  std::optional<std::int64_t> available =
      bytes_after(root / "proc/meminfo", "MemAvailable:");
  const auto left = Cgroup(root).memory_left();
  if (left && (!available || *left < *available)) {
    available = left;
  }
  return available;
}

std::optional<std::string> shared_memory_warning(
    int workers,
    std::int64_t free_bytes) {
  // In shared memory, the buffers of one connection take about 10 MB per
  // channel (the size in NCCL's error message when /dev/shm is full), and a
  // ring has several channels. A Docker container has a /dev/shm of 64 MiB by
  // default.
  constexpr std::int64_t kBytesPerWorker = 64 << 20;
  const std::int64_t wanted = kBytesPerWorker * workers;
  if (workers < 2 || free_bytes >= wanted) {
    return std::nullopt;
  }
  return fmt::format(
      "/dev/shm has {} free, and NCCL may need {} for {} GPUs: should it "
      "report "
      "a system error, start the container with --shm-size=1g or --ipc=host, "
      "or "
      "enlarge it: mount -o remount,size=1g /dev/shm",
      human_bytes(static_cast<double>(free_bytes)),
      human_bytes(static_cast<double>(wanted)),
      workers);
}

std::optional<std::string> shared_memory_warning(
    int workers,
    const std::filesystem::path& folder) {
  struct statvfs status {};
  if (::statvfs(folder.c_str(), &status) != 0) {
    return shared_memory_warning(workers, std::int64_t{0});
  }
  return shared_memory_warning(
      workers,
      static_cast<std::int64_t>(status.f_bavail) *
          static_cast<std::int64_t>(status.f_frsize));
}

} // namespace vitrain::launch
