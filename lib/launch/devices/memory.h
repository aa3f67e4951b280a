#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

namespace vitrain::launch {

// Bytes that processes started here may still take: what the kernel counts as
// available (MemAvailable of /proc/meminfo), cut to what the control group has
// left. Nothing where neither says it. `root` stands for "/".
std::optional<std::int64_t> available_memory(
    const std::filesystem::path& root = "/");

// Bytes that this process had in memory at its largest; 0: not known.
std::int64_t peak_resident_memory();

// A sentence when /dev/shm has less room than NCCL may want for exchange
// between `workers` GPUs of this machine; nothing when there is enough, or one
// worker. (Nothing else of ours is there: indexes and heartbeats are files in
// memory without a name.)
std::optional<std::string> shared_memory_warning(
    int workers,
    const std::filesystem::path& folder = "/dev/shm");

// The same for a given number of free bytes.
std::optional<std::string> shared_memory_warning(
    int workers,
    std::int64_t free_bytes);

} // namespace vitrain::launch
