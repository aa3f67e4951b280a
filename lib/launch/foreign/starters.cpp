#include "launch/foreign/starters.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <string_view>
#include <thread>

#include "core/check.h"
#include "core/files.h"
#include "core/text.h"
#include "launch/processes/process.h"
#include "launch/processes/signals.h"

namespace vitrain::launch {
namespace {

// A shell that reads what a person types: alone on its command line, and the
// first process of a terminal's session.
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

// `sh -c COMMAND`, which waits for one command of somebody else.
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

// A subshell, `( ... ) &`, or what a Python program has forked.
bool is_fork_of(pid_t pid, pid_t parent) {
  const std::vector<std::string> words = arguments_of(pid);
  return parent > 1 && !words.empty() && words == arguments_of(parent) &&
      environment_of(pid) == environment_of(parent);
}

Fd open_process(pid_t pid) {
  return Fd(static_cast<int>(::syscall(SYS_pidfd_open, pid, 0U)));
}

void say(int fd, const std::string& line) {
  // Whoever read it may be gone without having closed it.
  pollfd ready{.fd = fd, .events = POLLOUT, .revents = 0};
  if (fd >= 0 && ::poll(&ready, 1, 0) == 1) {
    [[maybe_unused]] const ssize_t written =
        ::write(fd, line.data(), line.size());
  }
}

} // namespace

std::vector<Starter> find_starters(const std::string& rank_variable) {
  std::vector<Starter> found;
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

std::string to_text(const std::vector<Starter>& starters) {
  std::vector<std::string> texts;
  for (const Starter& starter : starters) {
    texts.push_back(fmt::format("{}-{}", starter.pid, starter.start_time));
  }
  return join(texts, ",");
}

std::vector<Starter> starters_from(const std::string& text) {
  std::vector<Starter> starters;
  for (const std::string& one : split(text, ',')) {
    const std::size_t dash = one.find('-');
    std::int64_t pid = 0;
    std::int64_t start_time = 0;
    if (dash != one.npos && parse_int(one.substr(0, dash), pid) &&
        parse_int(one.substr(dash + 1), start_time) && pid > 1) {
      starters.push_back(
          {.pid = static_cast<pid_t>(pid),
           .start_time = static_cast<std::uint64_t>(start_time)});
    }
  }
  return starters;
}

class StarterWatch::Thread {
 public:
  Thread(const std::vector<Starter>& starters, std::string who)
      : who_(std::move(who)), wake_(::eventfd(0, EFD_CLOEXEC)) {
    for (const Starter& starter : starters) {
      Watched& one = watched_.emplace_back(
          Watched{starter, name_of_process(starter.pid), {}});
      one.handle = open_process(starter.pid);
      // The number may have been another's before the handle was there.
      if (is_gone(one)) {
        end(one);
      }
    }
    const BlockedSignals blocked;
    thread_ = std::thread([this] { run(); });
  }

  ~Thread() {
    const std::uint64_t one = 1;
    [[maybe_unused]] const ssize_t written =
        ::write(wake_.get(), &one, sizeof one);
    thread_.join();
  }

  void tell_also(int fd) { also_ = fd; }

 private:
  struct Watched {
    Starter starter;
    std::string name;
    Fd handle; // none where the kernel or a sandbox has no pidfd_open
  };

  // By /proc; a process that hides there never seems gone.
  static bool is_gone(const Watched& one) {
    const ProcessStatus status = status_of(one.starter.pid);
    return one.starter.start_time != 0 &&
        (status.start_time != one.starter.start_time || status.state == 'Z' ||
         status.state == 'X');
  }

  void run() {
    std::vector<pollfd> watched{
        {.fd = wake_.get(), .events = POLLIN, .revents = 0}};
    bool all_have_handles = true;
    for (const Watched& one : watched_) {
      // poll() passes over what is negative.
      watched.push_back(
          {.fd = one.handle.get(), .events = POLLIN, .revents = 0});
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

  [[noreturn]] void end(const Watched& lost) {
    const std::string line = fmt::format(
        "error: {}: process {}{}, through which this one was started, has "
        "ended: nobody waits for what it does\n",
        who_,
        lost.starter.pid,
        lost.name.empty() ? "" : fmt::format(" ({})", printable(lost.name)));
    say(STDERR_FILENO, line);
    say(also_, line);
    ::_exit(static_cast<int>(ExitCode::kWorkerDied));
  }

  std::string who_;
  Fd wake_;
  std::vector<Watched> watched_;
  std::atomic<int> also_{-1};
  std::thread thread_;
};

StarterWatch::StarterWatch(
    const std::vector<Starter>& starters,
    std::string who) {
  if (!starters.empty()) {
    thread_ = std::make_unique<Thread>(starters, std::move(who));
  }
}

StarterWatch::~StarterWatch() = default;

void StarterWatch::tell_also(int fd) {
  if (thread_) {
    thread_->tell_also(fd);
  }
}

} // namespace vitrain::launch
