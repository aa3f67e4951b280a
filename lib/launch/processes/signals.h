#pragma once

#include <signal.h>
#include <sys/types.h>

#include <string>

namespace vitrain::launch {

// Returns the stop signals, SIGTERM, SIGINT, SIGUSR1 and SIGHUP, which mean
// "save and stop". The supervisor starts workers with these blocked, so that an
// early signal stays pending instead of killing the worker; StopRequest
// unblocks them.
sigset_t stop_signals();

// Returns the stop signals that this process does not ignore: all but SIGHUP
// under nohup, all but SIGINT in the background of a script. The kernel
// delivers a blocked signal to a signalfd even if it is ignored, so ignored
// ones are left out.
sigset_t heeded_stop_signals();

// Returns the signals that a write can raise and that end or stop the process:
// SIGPIPE (no reader), SIGXFSZ (the file is too large), SIGTTOU (`stty tostop`
// in the background).
sigset_t output_signals();
// Ignores output_signals() for the rest of the process: writes that would raise
// SIGPIPE or SIGXFSZ fail with an error instead; in the background (SIGTTOU)
// they succeed.
void ignore_output_signals();

// Returns "SIGTERM", "SIGSEGV", ...; "a signal without a name" for unnamed
// ones.
std::string signal_name(int number);

// Returns the signal that the supervisor sends to its workers after it received
// signal `number`: SIGTERM for SIGHUP, else the same signal.
inline int passed_on(int number) {
  return number == SIGHUP ? SIGTERM : number;
}

// Seconds within which a second signal counts as the same request: it was sent
// to the whole process group, or forwarded as well.
inline constexpr double kSameRequestSeconds = 0.5;

// sigqueue() value of a stop signal that the supervisor sends because another
// worker failed, not because the user asked to stop.
inline constexpr int kRunFailed = 1;

// Handles a worker's stop signals, from construction to destruction. The first
// signal sets a flag that the trainer polls. A second one from outside ends the
// process at once with 128 + its number. A signal within kSameRequestSeconds of
// the first counts as the same request, and a signal from `supervisor` never
// counts as the second: the supervisor forwards a request once, and kills by
// SIGKILL. A stop signal that the process ignored before stays ignored. While
// the object lives, output_signals() are ignored, as by
// ignore_output_signals(). One object at a time; construct it on the main
// thread.
class StopRequest {
 public:
  // `supervisor`: getppid() in a worker that the supervisor started, else 0.
  explicit StopRequest(pid_t supervisor);
  StopRequest(const StopRequest&) = delete;
  StopRequest& operator=(const StopRequest&) = delete;
  // Restores handlers and mask.
  ~StopRequest();

  // Returns true if a stop was requested. Any thread may call; costs one load.
  bool requested() const;
  // Returns the number of the first stop signal; 0 if there was none.
  int signal() const;
  // Returns true if the supervisor ends the run because another worker failed.
  bool run_failed() const;
};

// Sets whether a stop request ends this process at once, with 128 + the signal,
// instead of setting StopRequest's flag: during set-up and evaluation there is
// nothing to save and the flag is not polled. Initially off; switch it on
// before a StopRequest unblocks pending signals.
void stop_at_once(bool on);

} // namespace vitrain::launch
