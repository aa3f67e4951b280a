#pragma once

#include <filesystem>
#include <functional>

namespace vitrain {

// Throws Error(kUsage) where there is a file of this name already.
void check_is_new(const std::filesystem::path& path);

// Writes a file that is not there yet: durably, and under its name when it is
// complete. `write` gets a descriptor and returns 0 or an errno; what it
// throws, is passed on. Throws Error(kUsage) as check_is_new, Error(kStorage).
void write_new_file(
    const std::filesystem::path& path,
    const std::function<int(int fd)>& write);

} // namespace vitrain
