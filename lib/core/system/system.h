#pragma once

#include <sys/types.h>

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

namespace vitrain {

// What the kernel says of this machine and of its processes, for the most part
// in small text files. What cannot be read is empty, never an error.

std::string host_name();

// The value of an environment variable; "" where it is not set.
std::string environment_variable(const char* name);

// All of a file.
std::string content_of(const std::filesystem::path& file);
// Its first line.
std::string first_line(const std::filesystem::path& file);

// The rest of the first line that begins with `key`, without the blanks around
// it: of "MemAvailable:   123 kB" behind "MemAvailable:", "123 kB".
std::optional<std::string> value_after(
    const std::filesystem::path& file,
    std::string_view key);

// What /proc/PID/stat says of a process; all zero where there is none.
struct ProcessStatus {
  char state = 0; // 'Z': ended, not yet waited for
  pid_t parent = 0;
  pid_t session = 0;
  int terminal = 0; // that controls it; 0: none
  // Clock ticks after boot: tells reused pids apart.
  std::uint64_t start_time = 0;
};
ProcessStatus status_of(pid_t pid);

} // namespace vitrain
