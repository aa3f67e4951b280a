#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>

namespace vitrain::launch {

// Bytes that processes started here may still take: what the kernel counts as
// available (MemAvailable of /proc/meminfo), cut to what the control group has
// left. Nothing where neither says it. `root` stands for "/".
std::optional<std::int64_t> available_memory(
    const std::filesystem::path& root = "/");

} // namespace vitrain::launch
