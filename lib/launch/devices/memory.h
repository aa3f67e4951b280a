#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

namespace vitrain::launch {

// Returns the bytes available to new processes: MemAvailable of /proc/meminfo,
// limited by the control group; nullopt if both are unknown. `root` stands for
// "/".
std::optional<std::int64_t> available_memory(
    const std::filesystem::path& root = "/");

// Returns the peak resident bytes of this process; 0 if unknown.
std::int64_t peak_resident_memory();

// A sentence when /dev/shm has less room than NCCL may want for exchange
// between `workers` GPUs of this machine; nothing when there is enough, or one
// worker. (Nothing else of ours is there: indexes and heartbeats are files in
// memory without a name.)
std::optional<std::string> shared_memory_warning(
    int workers,
    const std::filesystem::path& folder = "/dev/shm");

// Computes the warning for a given number of free bytes.
std::optional<std::string> shared_memory_warning(
    int workers,
    std::int64_t free_bytes);

} // namespace vitrain::launch
