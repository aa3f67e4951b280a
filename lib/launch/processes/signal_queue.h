#pragma once

#include <signal.h>

#include <vector>

#include "core/system/files.h"

namespace vitrain::launch {

// Receives signals for the supervisor. While the object lives, SIGCHLD and the
// stop signals that the process does not ignore are blocked, and read from a
// descriptor instead, so that none of vitrain's code runs in a signal handler.
// Only for a process with one thread.
class SignalQueue {
 public:
  // Throws Error(kInternal).
  SignalQueue();
  SignalQueue(const SignalQueue&) = delete;
  SignalQueue& operator=(const SignalQueue&) = delete;
  ~SignalQueue();

  // Returns the signals that have arrived, without SIGCHLD. Waits until any
  // signal arrives, at most `seconds`.
  std::vector<int> wait(double seconds);

 private:
  Fd fd_;
  sigset_t previous_mask_;
  struct sigaction previous_child_;
};

// Waits `seconds`, or until a stop signal arrives. Returns its number, or 0.
int wait_for_signal(double seconds);

// Returns the seconds to wait before the next restart after `restarts`
// restarts: 1, 2, 4, ... at most 60, so that a broken machine is not busy with
// restarts.
double restart_pause(int restarts);

} // namespace vitrain::launch
