#include "launch/processes/spawn.h"

#include <fcntl.h>
#include <linux/close_range.h>
#include <pthread.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cassert>
#include <cerrno>

#include "core/check.h"
#include "core/system/files.h"
#include "core/text.h"
#include "launch/processes/descriptors.h"
#include "launch/processes/signals.h"

namespace vitrain::launch {
namespace {

// Everything the child needs, prepared before fork: between fork and exec, only
// async-signal-safe calls are allowed.
struct Plan {
  const char* executable;
  std::vector<char*> arguments;
  std::vector<char*> environment;
  // For kernels whose close_range() lacks CLOSE_RANGE_CLOEXEC.
  std::vector<int> open_now;
  const std::vector<int>* inherited;
  int null;
  int output;
  int error_pipe;
  pid_t parent;
  sigset_t mask;
};

std::vector<int> open_descriptors() {
  std::vector<int> found;
  std::error_code error;
  std::filesystem::directory_iterator entry("/proc/self/fd", error);
  for (; !error && entry != std::filesystem::directory_iterator();
       entry.increment(error)) {
    std::int64_t fd = -1;
    if (parse_int(entry->path().filename().native(), fd) && fd > 2) {
      found.push_back(static_cast<int>(fd));
    }
  }
  return found;
}

// Connects the standard streams, and makes exec close all other descriptors
// except the inherited ones of `plan`. Returns false, with errno, on failure.
bool set_up_descriptors(const Plan& plan) {
  // All sources are above 2, so that no dup2() overwrites the source of the
  // next.
  if (::dup2(plan.null, 0) < 0 || ::dup2(plan.output, 1) < 0 ||
      ::dup2(plan.output, 2) < 0) {
    return false;
  }
  if (::close_range(3, ~0U, CLOSE_RANGE_CLOEXEC) != 0) {
    for (const int fd : plan.open_now) {
      ::fcntl(fd, F_SETFD, FD_CLOEXEC);
    }
  }
  for (const int fd : *plan.inherited) {
    if (::fcntl(fd, F_SETFD, 0) != 0) {
      return false;
    }
  }
  return true;
}

[[noreturn]] void run_child(const Plan& plan) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != plan.parent) {
    ::_exit(127); // the parent died before prctl()
  }
  ::setpgid(0, 0);
  struct sigaction defaults {};
  defaults.sa_handler = SIG_DFL;
  for (int number = 1; number < NSIG; ++number) {
    ::sigaction(number, &defaults, nullptr);
  }
  if (set_up_descriptors(plan)) {
    ::sigprocmask(SIG_SETMASK, &plan.mask, nullptr);
    ::execve(plan.executable, plan.arguments.data(), plan.environment.data());
  }
  const int error = errno;
  [[maybe_unused]] const ssize_t written =
      ::write(plan.error_pipe, &error, sizeof error);
  ::_exit(127);
}

// Returns the errno that the child reports from before or in exec; 0 if exec
// succeeded, which closes the pipe.
int exec_error(int pipe) {
  int error = 0;
  ssize_t got = -1;
  do {
    got = ::read(pipe, &error, sizeof error);
  } while (got < 0 && errno == EINTR);
  return got == sizeof error ? error : 0;
}

} // namespace

std::vector<char*> exec_pointers(std::vector<std::string>& texts) {
  std::vector<char*> result;
  for (std::string& text : texts) {
    result.push_back(text.data());
  }
  result.push_back(nullptr);
  return result;
}

std::vector<std::string> exec_environment(const Environment& environment) {
  std::vector<std::string> entries;
  for (const auto& [name, value] : environment) {
    entries.push_back(fmt::format("{}={}", name, value));
  }
  return entries;
}

pid_t spawn(const SpawnOptions& options) {
  std::vector<std::string> arguments = options.arguments;
  std::vector<std::string> environment = exec_environment(options.environment);
  for ([[maybe_unused]] const int fd : options.inherited) {
    assert(fd > 2);
  }
  const Fd null = duplicate_or_null(-1);
  const Fd output = duplicate_or_null(options.output);
  Pipe error_pipe = make_pipe("a worker");

  const Plan plan{
      .executable = options.executable.c_str(),
      .arguments = exec_pointers(arguments),
      .environment = exec_pointers(environment),
      .open_now = open_descriptors(),
      .inherited = &options.inherited,
      .null = null.get(),
      .output = output.get(),
      .error_pipe = error_pipe.write.get(),
      .parent = ::getpid(),
      .mask = stop_signals()};

  // No signal handler of this process may run in the child.
  sigset_t all;
  sigset_t before;
  ::sigfillset(&all);
  ::pthread_sigmask(SIG_SETMASK, &all, &before);
  const pid_t pid = ::fork();
  const int fork_error = errno;
  if (pid == 0) {
    run_child(plan);
  }
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
  VITRAIN_CHECK(
      pid > 0,
      ExitCode::kUsage,
      "cannot start a worker process: {}. Limits on processes (ulimit -u) and "
      "memory apply to workers too",
      error_text(fork_error));
  // Called on both sides, so that neither has to wait for the other.
  ::setpgid(pid, pid);
  error_pipe.write.reset();
  if (const int error = exec_error(error_pipe.read.get()); error != 0) {
    ::waitpid(pid, nullptr, 0);
    fail(
        error == EAGAIN || error == ENOMEM ? ExitCode::kUsage
                                           : ExitCode::kInternal,
        "cannot start the worker program {}: {}",
        printable(options.executable.native()),
        error_text(error));
  }
  return pid;
}

} // namespace vitrain::launch
