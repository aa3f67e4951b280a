#include "launch/processes/signal_queue.h"

#include <poll.h>
#include <pthread.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cmath>

#include "core/check.h"
#include "core/system/clock.h"
#include "launch/processes/descriptors.h"
#include "launch/processes/signals.h"

namespace vitrain::launch {

SignalQueue::SignalQueue() {
  sigset_t set = heeded_stop_signals();
  ::sigaddset(&set, SIGCHLD);
  Fd fd(::signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK));
  VITRAIN_CHECK(
      fd,
      ExitCode::kInternal,
      "cannot watch for signals: {}",
      error_text(errno));
  fd_ = above_standard_streams(std::move(fd));
  // If SIGCHLD were ignored, the kernel would reap the workers, and their exit
  // status would be lost.
  struct sigaction defaults {};
  defaults.sa_handler = SIG_DFL;
  ::sigaction(SIGCHLD, &defaults, &previous_child_);
  ::pthread_sigmask(SIG_BLOCK, &set, &previous_mask_);
}

SignalQueue::~SignalQueue() {
  ::pthread_sigmask(SIG_SETMASK, &previous_mask_, nullptr);
  ::sigaction(SIGCHLD, &previous_child_, nullptr);
}

int wait_for_signal(double seconds) {
  SignalQueue queue;
  const double end = monotonic_seconds() + seconds;
  for (double left = seconds; left > 0; left = end - monotonic_seconds()) {
    const std::vector<int> signals = queue.wait(left);
    if (!signals.empty()) {
      return signals.front();
    }
  }
  return 0;
}

double restart_pause(int restarts) {
  constexpr double kLongest = 60;
  return std::min(kLongest, std::ldexp(1.0, std::min(restarts, 16)));
}

std::vector<int> SignalQueue::wait(double seconds) {
  wait_for_events(fd_.get(), POLLIN, seconds);
  std::vector<int> signals;
  signalfd_siginfo info{};
  while (::read(fd_.get(), &info, sizeof info) == sizeof info) {
    if (info.ssi_signo != SIGCHLD) {
      signals.push_back(static_cast<int>(info.ssi_signo));
    }
  }
  return signals;
}

} // namespace vitrain::launch
