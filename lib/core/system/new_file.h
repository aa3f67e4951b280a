#pragma once

#include <filesystem>
#include <functional>

namespace vitrain {

// Throws Error(kUsage) if `path` exists.
void check_is_new(const std::filesystem::path& path);

// Writes a new file durably; it appears under its name when complete. `write`
// receives a descriptor and returns 0 or an errno; its exceptions are passed
// on. Throws Error(kUsage) if `path` exists before, Error(kStorage) on failure
// or if another process has created `path` before the new file is complete.
void write_new_file(
    const std::filesystem::path& path,
    const std::function<int(int fd)>& write);

} // namespace vitrain
