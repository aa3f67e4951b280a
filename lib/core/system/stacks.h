#pragma once

#include <signal.h>

#include <atomic>

namespace vitrain {

// Returns the signal on which a worker writes the stacks of its threads.
int stack_signal();

// Whether a process writes its stacks on request, for the supervisor.
enum class Stacks {
  kNever, // stack_signal() is not handled
  kReady,
  kWritten,
};

// Handles stack_signal() from here on, and sets `state` to kReady: each signal
// writes the stacks of all threads that do not block it to standard error, then
// sets `state` to kWritten. `state` must outlive the process's threads.
// Functions that are not exported have no name there, but an address for
// addr2line.
void write_stacks_on_signal(std::atomic<Stacks>& state);

// Blocks, in its scope, signals sent to the process (not thread faults such as
// SIGSEGV, nor stack_signal()), in this thread and in threads that it creates.
class BlockedSignals {
 public:
  BlockedSignals();
  BlockedSignals(const BlockedSignals&) = delete;
  BlockedSignals& operator=(const BlockedSignals&) = delete;
  ~BlockedSignals();

 private:
  sigset_t previous_;
};

} // namespace vitrain
