#include "launch/processes/process.h"

#include <signal.h>

#include <cstdlib>

#include <fmt/format.h>

#include "core/text.h"

namespace vitrain::launch {
namespace {

std::string file_of(pid_t pid, const char* name) {
  return fmt::format("/proc/{}/{}", pid, name);
}

// Splits a text whose parts each end with a zero byte.
std::vector<std::string> zero_terminated(const std::string& text) {
  std::vector<std::string> parts = split(text, '\0');
  if (!parts.empty() && parts.back().empty()) {
    parts.pop_back();
  }
  return parts;
}

} // namespace

Environment environment_of(pid_t pid) {
  return environment_from(zero_terminated(content_of(file_of(pid, "environ"))));
}

std::vector<std::string> arguments_of(pid_t pid) {
  return zero_terminated(content_of(file_of(pid, "cmdline")));
}

std::string name_of_process(pid_t pid) {
  return std::string(trim(content_of(file_of(pid, "comm"))));
}

bool ignores_hangup(pid_t pid) {
  const auto mask = value_after(file_of(pid, "status"), "SigIgn:");
  return mask &&
      (std::strtoull(mask->c_str(), nullptr, 16) >> (SIGHUP - 1) & 1) != 0;
}

} // namespace vitrain::launch
