#include "launch/processes/process.h"

#include <signal.h>

#include <cstdlib>
#include <fstream>
#include <sstream>

#include <fmt/format.h>

#include "core/text.h"

namespace vitrain::launch {
namespace {

std::string content_of(pid_t pid, const char* file) {
  std::ifstream stream(fmt::format("/proc/{}/{}", pid, file), std::ios::binary);
  std::ostringstream text;
  text << stream.rdbuf();
  return text.str();
}

// Texts that each end with a zero byte.
std::vector<std::string> zero_terminated(const std::string& text) {
  std::vector<std::string> parts = split(text, '\0');
  if (!parts.empty() && parts.back().empty()) {
    parts.pop_back();
  }
  return parts;
}

} // namespace

ProcessStatus status_of(pid_t pid) {
  const std::string stat = content_of(pid, "stat");
  ProcessStatus result;
  // Fields are counted behind the name in parentheses, which may have blanks.
  const std::size_t name_end = stat.rfind(')');
  if (name_end == std::string::npos) {
    return result;
  }
  const auto fields = split(stat.substr(name_end + 1), ' ');
  constexpr std::size_t kState = 1;
  constexpr std::size_t kParent = 2;
  constexpr std::size_t kSession = 4;
  constexpr std::size_t kTerminal = 5;
  constexpr std::size_t kStartTime = 20;
  if (fields.size() <= kStartTime) {
    return result;
  }
  const auto number = [&](std::size_t field) {
    std::int64_t value = 0;
    return parse_int(fields[field], value) ? value : 0;
  };
  result.state = fields[kState].empty() ? '\0' : fields[kState].front();
  result.parent = static_cast<pid_t>(number(kParent));
  result.session = static_cast<pid_t>(number(kSession));
  result.terminal = static_cast<int>(number(kTerminal));
  result.start_time = static_cast<std::uint64_t>(number(kStartTime));
  return result;
}

Environment environment_of(pid_t pid) {
  Environment result;
  for (const std::string& entry : zero_terminated(content_of(pid, "environ"))) {
    if (const std::size_t equals = entry.find('='); equals != entry.npos) {
      result.emplace(entry.substr(0, equals), entry.substr(equals + 1));
    }
  }
  return result;
}

std::vector<std::string> arguments_of(pid_t pid) {
  return zero_terminated(content_of(pid, "cmdline"));
}

std::string name_of_process(pid_t pid) {
  return std::string(trim(content_of(pid, "comm")));
}

bool ignores_hangup(pid_t pid) {
  std::istringstream lines(content_of(pid, "status"));
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("SigIgn:")) {
      const auto mask = std::strtoull(line.c_str() + 7, nullptr, 16);
      return (mask >> (SIGHUP - 1) & 1) != 0;
    }
  }
  return false;
}

} // namespace vitrain::launch
