#pragma once

#include <signal.h>

#include <vector>

#include "core/files/files.h"

namespace vitrain::launch {

// The supervisor's way of hearing signals: SIGCHLD and the stop signals that
// the process does not ignore are blocked while the object lives and read from
// a descriptor instead, so that no code of ours runs in a handler. For a
// process with one thread.
class SignalQueue {
 public:
  // Throws Error(kInternal).
  SignalQueue();
  SignalQueue(const SignalQueue&) = delete;
  SignalQueue& operator=(const SignalQueue&) = delete;
  ~SignalQueue();

  // The signals that have arrived, SIGCHLD left out; returns as soon as there
  // is any signal, and after `seconds` at the latest.
  std::vector<int> wait(double seconds);

 private:
  Fd fd_;
  sigset_t previous_mask_;
  struct sigaction previous_child_;
};

// Waits `seconds`, or until a stop signal arrives; that one, or 0.
int wait_for_signal(double seconds);

// Returns the seconds to wait before the next restart after `restarts`
// restarts: 1, 2, 4, ... at most 60, so that a broken machine is not busy with
// restarts.
double restart_pause(int restarts);

} // namespace vitrain::launch
