#pragma once

#include <sys/types.h>

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

namespace vitrain {

// Facts about this machine and its processes, most of them read from small text
// files of the kernel. Unreadable values are empty, never an error.

std::string host_name();

// Returns the value of an environment variable; "" if it is not set.
std::string environment_variable(const char* name);

// Returns the content of a file; "" if it cannot be read.
std::string content_of(const std::filesystem::path& file);
// Returns the first line of a file, without surrounding spaces; "" if it cannot
// be read.
std::string first_line(const std::filesystem::path& file);

// Returns the rest of the first line that begins with `key`, without
// surrounding spaces: "123 kB" for the line "MemAvailable: 123 kB" and the key
// "MemAvailable:". nullopt if there is no such line or file.
std::optional<std::string> value_after(
    const std::filesystem::path& file,
    std::string_view key);

// Fields of /proc/PID/stat; all zero if it cannot be read, as without such a
// process.
struct ProcessStatus {
  char state = 0; // letter; 'Z': ended, not yet waited for
  pid_t parent = 0;
  pid_t session = 0; // session id
  int terminal = 0; // device number of its controlling terminal; 0: none
  // Clock ticks since boot; distinguishes processes that reuse a pid.
  std::uint64_t start_time = 0;
};
ProcessStatus status_of(pid_t pid);

} // namespace vitrain
