#include "launch/processes/signals.h"

#include <pthread.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cassert>
#include <cstring>
#include <map>

#include "core/system/clock.h"
#include "launch/processes/descriptors.h"

namespace vitrain::launch {
namespace {

constexpr std::array kStopSignals{SIGTERM, SIGINT, SIGUSR1, SIGHUP};
constexpr std::array kOutputSignals{SIGPIPE, SIGXFSZ, SIGTTOU};

// A signal handler can only use globals. All of them are lock-free.
std::atomic<int> stop_signal{0};
std::atomic<double> stop_time{0};
std::atomic<pid_t> stop_supervisor{0};
std::atomic<bool> stop_failed{false};
std::atomic<bool> ends_at_once{false};
std::atomic<bool> stop_installed{false};

// Handlers by signal number, and the signal mask, which StopRequest restores.
std::map<int, struct sigaction> previous_actions;
sigset_t previous_mask;

bool is_ignored(int number) {
  struct sigaction action {};
  return ::sigaction(number, nullptr, &action) == 0 &&
      action.sa_handler == SIG_IGN;
}

[[noreturn]] void end_with_nothing_to_save(int number) {
  // Does not use fmt, since it runs in a signal handler.
  write_ready(STDERR_FILENO, "ended by SIG");
  write_ready(STDERR_FILENO, ::sigabbrev_np(number));
  write_ready(STDERR_FILENO, ": there is nothing to save yet\n");
  ::_exit(128 + number);
}

void on_stop(int number, siginfo_t* info, void* /*context*/) {
  const double now = monotonic_seconds();
  const pid_t supervisor = stop_supervisor.load();
  const bool forwarded = supervisor != 0 && info != nullptr &&
      (info->si_code == SI_USER || info->si_code == SI_QUEUE) &&
      info->si_pid == supervisor;
  if (forwarded && info->si_code == SI_QUEUE &&
      info->si_value.sival_int == kRunFailed) {
    stop_failed.store(true);
  }
  if (ends_at_once.load()) {
    end_with_nothing_to_save(number);
  }
  int none = 0;
  if (stop_signal.load() == 0) {
    // Store the time first: the handler of a second signal must not see the
    // flag without the time.
    stop_time.store(now);
  }
  if (stop_signal.compare_exchange_strong(none, number)) {
    return;
  }
  if (!forwarded && now - stop_time.load() > kSameRequestSeconds) {
    ::_exit(128 + number);
  }
}

} // namespace

sigset_t stop_signals() {
  sigset_t set;
  ::sigemptyset(&set);
  for (const int number : kStopSignals) {
    ::sigaddset(&set, number);
  }
  return set;
}

sigset_t heeded_stop_signals() {
  sigset_t set = stop_signals();
  for (const int number : kStopSignals) {
    if (is_ignored(number)) {
      ::sigdelset(&set, number);
    }
  }
  return set;
}

sigset_t output_signals() {
  sigset_t set;
  ::sigemptyset(&set);
  for (const int number : kOutputSignals) {
    ::sigaddset(&set, number);
  }
  return set;
}

void ignore_output_signals() {
  for (const int number : kOutputSignals) {
    ::signal(number, SIG_IGN);
  }
}

std::string signal_name(int number) {
  const char* name = ::sigabbrev_np(number);
  return name == nullptr ? "a signal without a name"
                         : std::string("SIG") + name;
}

StopRequest::StopRequest(pid_t supervisor) {
  [[maybe_unused]] const bool second = stop_installed.exchange(true);
  assert(!second && "one StopRequest at a time");
  stop_signal = 0;
  stop_supervisor = supervisor;
  stop_failed = false;
  struct sigaction action {};
  action.sa_sigaction = &on_stop;
  // SA_RESTART: a stop signal must not make reads and writes of the program
  // fail.
  action.sa_flags = SA_SIGINFO | SA_RESTART;
  action.sa_mask = stop_signals();
  previous_actions.clear();
  for (const int number : kStopSignals) {
    if (!is_ignored(number)) {
      ::sigaction(number, &action, &previous_actions[number]);
    }
  }
  struct sigaction ignore {};
  ignore.sa_handler = SIG_IGN;
  for (const int number : kOutputSignals) {
    ::sigaction(number, &ignore, &previous_actions[number]);
  }
  const sigset_t set = stop_signals();
  ::pthread_sigmask(SIG_UNBLOCK, &set, &previous_mask);
}

StopRequest::~StopRequest() {
  ::pthread_sigmask(SIG_SETMASK, &previous_mask, nullptr);
  for (const auto& [number, action] : previous_actions) {
    ::sigaction(number, &action, nullptr);
  }
  stop_installed = false;
}

void stop_at_once(bool on) {
  ends_at_once = on;
}

bool StopRequest::requested() const {
  return stop_signal.load(std::memory_order_relaxed) != 0;
}

int StopRequest::signal() const {
  return stop_signal.load();
}

bool StopRequest::run_failed() const {
  return stop_failed.load();
}

} // namespace vitrain::launch
