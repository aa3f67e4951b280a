#include "core/system/system.h"

#include <unistd.h>

#include <array>
#include <cstdlib>
#include <fstream>
#include <sstream>

#include <fmt/format.h>

#include "core/text.h"

namespace vitrain {

std::string host_name() {
  std::array<char, 256> name{};
  ::gethostname(name.data(), name.size() - 1);
  return valid_utf8(name.data());
}

std::string environment_variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

std::string content_of(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  // Does not use istream iterators, which throw if a process ends between open
  // and read.
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

std::string first_line(const std::filesystem::path& file) {
  return value_after(file, "").value_or("");
}

std::optional<std::string> value_after(
    const std::filesystem::path& file,
    std::string_view key) {
  std::ifstream in(file);
  for (std::string line; std::getline(in, line);) {
    if (line.starts_with(key)) {
      return std::string(trim(std::string_view(line).substr(key.size())));
    }
  }
  return std::nullopt;
}

ProcessStatus status_of(pid_t pid) {
  const std::string stat = content_of(fmt::format("/proc/{}/stat", pid));
  // Fields are counted after the name in parentheses, which may contain spaces.
  const std::size_t name_end = stat.rfind(')');
  if (name_end == std::string::npos) {
    return {};
  }
  const auto fields = split(stat.substr(name_end + 1), ' ');
  constexpr std::size_t kState = 1;
  constexpr std::size_t kParent = 2;
  constexpr std::size_t kSession = 4;
  constexpr std::size_t kTerminal = 5;
  constexpr std::size_t kStartTime = 20;
  if (fields.size() <= kStartTime) {
    return {};
  }
  const auto number = [&](std::size_t field) {
    std::int64_t value = 0;
    return parse_int(fields[field], value) ? value : 0;
  };
  return {
      .state = fields[kState].empty() ? '\0' : fields[kState].front(),
      .parent = static_cast<pid_t>(number(kParent)),
      .session = static_cast<pid_t>(number(kSession)),
      .terminal = static_cast<int>(number(kTerminal)),
      .start_time = static_cast<std::uint64_t>(number(kStartTime))};
}

} // namespace vitrain
