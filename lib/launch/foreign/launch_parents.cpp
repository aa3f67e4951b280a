#include "launch/foreign/launch_parents.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "core/check.h"
#include "core/system/stacks.h"
#include "core/text.h"
#include "launch/processes/descriptors.h"
#include "launch/processes/process.h"

namespace vitrain::launch {
namespace {

// Returns true for an interactive shell: it has no arguments but options other
// than -c, and leads a terminal's session.
bool is_interactive(pid_t pid, const ProcessStatus& status) {
  const std::vector<std::string> words = arguments_of(pid);
  const bool alone = std::none_of(
      words.begin() + (words.empty() ? 0 : 1),
      words.end(),
      [](const std::string& word) {
        return !word.starts_with('-') || word == "-c";
      });
  return alone && !words.empty() && status.session == pid &&
      status.terminal != 0;
}

// Returns true for a shell with `-c COMMAND`, which waits for the command;
// false if it ignores SIGHUP (nohup).
bool runs_one_command(pid_t pid) {
  constexpr std::array<std::string_view, 6> kShells{
      "sh", "bash", "dash", "zsh", "ksh", "ash"};
  const std::vector<std::string> words = arguments_of(pid);
  if (words.size() < 2 || !words[1].starts_with('-') ||
      words[1].starts_with("--") || words[1].find('c') == words[1].npos) {
    return false;
  }
  const std::string& path = words[0];
  const std::string_view name =
      std::string_view(path).substr(path.rfind('/') + 1);
  return std::ranges::find(kShells, name) != kShells.end() &&
      !ignores_hangup(pid);
}

// Returns true for a subshell, `( ... ) &`, and for forks of a Python program.
bool is_fork_of(pid_t pid, pid_t parent) {
  const std::vector<std::string> words = arguments_of(pid);
  return parent > 1 && !words.empty() && words == arguments_of(parent) &&
      environment_of(pid) == environment_of(parent);
}

Fd open_process(pid_t pid) {
  return Fd(static_cast<int>(::syscall(SYS_pidfd_open, pid, 0U)));
}

} // namespace

std::vector<LaunchParent> find_launch_parents(
    const std::string& rank_variable) {
  std::vector<LaunchParent> found;
  for (pid_t pid = ::getppid(); pid > 1;) {
    const ProcessStatus status = status_of(pid);
    if (is_interactive(pid, status)) {
      break;
    }
    found.push_back({.pid = pid, .start_time = status.start_time});
    const bool between = environment_of(pid).contains(rank_variable) ||
        runs_one_command(pid) || is_fork_of(pid, status.parent);
    pid = between ? status.parent : 0;
  }
  return found;
}

std::string to_text(const std::vector<LaunchParent>& parents) {
  std::vector<std::string> texts;
  for (const LaunchParent& parent : parents) {
    texts.push_back(fmt::format("{}-{}", parent.pid, parent.start_time));
  }
  return join(texts, ",");
}

std::vector<LaunchParent> launch_parents_from(const std::string& text) {
  std::vector<LaunchParent> parents;
  for (const std::string& one : split(text, ',')) {
    const std::size_t dash = one.find('-');
    std::int64_t pid = 0;
    std::int64_t start_time = 0;
    if (dash != one.npos && parse_int(one.substr(0, dash), pid) &&
        parse_int(one.substr(dash + 1), start_time) && pid > 1) {
      parents.push_back(
          {.pid = static_cast<pid_t>(pid),
           .start_time = static_cast<std::uint64_t>(start_time)});
    }
  }
  return parents;
}

LauncherProcess find_launcher_process(const std::string& rank_variable) {
  LauncherProcess result;
  pid_t pid = ::getppid();
  while (pid > 1) {
    result.environment = environment_of(pid);
    if (!result.environment.contains(rank_variable)) {
      break;
    }
    pid = status_of(pid).parent;
  }
  result.process = {.pid = pid, .start_time = status_of(pid).start_time};
  return result;
}

LaunchParentWatch::LaunchParentWatch(
    const std::vector<LaunchParent>& parents,
    std::string who)
    : who_(std::move(who)), wake_(::eventfd(0, EFD_CLOEXEC)) {
  if (parents.empty()) {
    return;
  }
  for (const LaunchParent& parent : parents) {
    Watched& one = watched_.emplace_back(
        Watched{parent, name_of_process(parent.pid), open_process(parent.pid)});
    // The pid may have been reused before the handle was opened.
    if (is_gone(one)) {
      end(one);
    }
  }
  const BlockedSignals blocked;
  thread_ = std::thread([this] { run(); });
}

LaunchParentWatch::~LaunchParentWatch() {
  if (thread_.joinable()) {
    ::eventfd_write(wake_.get(), 1);
    thread_.join();
  }
}

// Uses /proc; a process that /proc hides never seems gone.
bool LaunchParentWatch::is_gone(const Watched& one) {
  const ProcessStatus status = status_of(one.parent.pid);
  return one.parent.start_time != 0 &&
      (status.start_time != one.parent.start_time || status.state == 'Z' ||
       status.state == 'X');
}

void LaunchParentWatch::run() {
  std::vector<pollfd> watched{
      {.fd = wake_.get(), .events = POLLIN, .revents = 0}};
  bool all_have_handles = true;
  for (const Watched& one : watched_) {
    // poll() skips negative descriptors.
    watched.push_back({.fd = one.handle.get(), .events = POLLIN, .revents = 0});
    all_have_handles = all_have_handles && one.handle;
  }
  constexpr int kLookMilliseconds = 1000;
  while (watched.front().revents == 0) {
    ::poll(
        watched.data(),
        watched.size(),
        all_have_handles ? -1 : kLookMilliseconds);
    for (std::size_t i = 0; i < watched_.size(); ++i) {
      if (watched[i + 1].revents != 0 ||
          (!watched_[i].handle && is_gone(watched_[i]))) {
        end(watched_[i]);
      }
    }
  }
}

void LaunchParentWatch::end(const Watched& lost) {
  const std::string line = fmt::format(
      "error: {}: process {}{}, through which this one was started, has "
      "ended: nobody waits for what it does\n",
      who_,
      lost.parent.pid,
      lost.name.empty() ? "" : fmt::format(" ({})", printable(lost.name)));
  // write_ready(), because the reader may be gone without having closed the
  // pipe.
  write_ready(STDERR_FILENO, line);
  write_ready(also_, line);
  ::_exit(static_cast<int>(ExitCode::kWorkerDied));
}

} // namespace vitrain::launch
