#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

namespace vitrain::launch {

// Returns the bytes available to new processes: MemAvailable of /proc/meminfo,
// limited by the control group; nullopt if both are unknown. `root` replaces
// "/".
std::optional<std::int64_t> available_memory(
    const std::filesystem::path& root = "/");

// Returns the peak resident bytes of this process; 0 if unknown.
std::int64_t peak_resident_memory();

// Returns a warning if `folder` is missing or has less free space than NCCL may
// need for transfers between `workers` GPUs of this machine; nullopt if there
// is enough, or for one worker. (vitrain itself uses no space there: its
// indexes and heartbeats are in memfds.)
std::optional<std::string> shared_memory_warning(
    int workers,
    const std::filesystem::path& folder = "/dev/shm");

// As shared_memory_warning() for a folder with `free_bytes` of free space; the
// warning calls it /dev/shm.
std::optional<std::string> shared_memory_warning(
    int workers,
    std::int64_t free_bytes);

} // namespace vitrain::launch
