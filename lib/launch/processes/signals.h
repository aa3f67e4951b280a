#pragma once

#include <signal.h>
#include <sys/types.h>

#include <string>

namespace vitrain::launch {

// SIGTERM, SIGINT, SIGUSR1 and SIGHUP: "save and stop". The supervisor starts
// workers with these blocked, so that an early signal stays pending instead of
// killing the worker; StopRequest unblocks them.
sigset_t stop_signals();

// Stop signals that this process does not ignore: all but SIGHUP under nohup,
// all but SIGINT in the background of a script. The kernel delivers a blocked
// signal to a signalfd even if it is ignored, so ignored ones are left out.
sigset_t heeded_stop_signals();

// Signals by which an output ends or stops its process: SIGPIPE (no reader),
// SIGXFSZ (the file is too large), SIGTTOU (`stty tostop` in the background).
sigset_t output_signals();
// Ignores output_signals() for the rest of the process: writes fail with an
// error instead.
void ignore_output_signals();

// Returns "SIGTERM", "SIGSEGV", ...; "a signal without a name" for unnamed
// ones.
std::string signal_name(int number);

// Signal that the supervisor passes on to its workers for one that it received:
// SIGTERM for SIGHUP.
inline int passed_on(int number) {
  return number == SIGHUP ? SIGTERM : number;
}

// A second signal within this time is the same request, sent to the whole
// process group or forwarded.
inline constexpr double kSameRequestSeconds = 0.5;

// Value of a stop signal that the supervisor sends by sigqueue(): another
// worker failed; the user did not ask to stop.
inline constexpr int kRunFailed = 1;

// A worker's handling of stop signals, from construction to destruction: the
// first one sets a flag that the trainer polls. The second one from outside
// ends the process at once with 128 + its number. One within
// kSameRequestSeconds of the first is the same request, and one from
// `supervisor` never counts as the second: the supervisor forwards a request
// once and kills by SIGKILL. A stop signal that the process ignored before
// stays ignored. Meanwhile output_signals() are ignored: writes to logs fail
// with an error instead. One object at a time; construct it on the main thread.
class StopRequest {
 public:
  // `supervisor`: getppid() in a worker that the supervisor started, else 0.
  explicit StopRequest(pid_t supervisor);
  StopRequest(const StopRequest&) = delete;
  StopRequest& operator=(const StopRequest&) = delete;
  // Restores handlers and mask.
  ~StopRequest();

  // Whether a stop has been asked for. Any thread, costs one load.
  bool requested() const;
  // The signal that asked, or 0.
  int signal() const;
  // Whether the supervisor ends the run because another worker has failed.
  bool run_failed() const;
};

// Sets whether a stop request ends this process at once, with 128 + the signal,
// instead of setting StopRequest's flag: during set-up and evaluation there is
// nothing to save and the flag is not polled. Initially off; switch it on
// before a StopRequest unblocks pending signals.
void stop_at_once(bool on);

// Blocks, for a scope, signals sent to the process (not thread faults such as
// SIGSEGV) in this thread and in threads that it creates.
class BlockedSignals {
 public:
  BlockedSignals();
  BlockedSignals(const BlockedSignals&) = delete;
  BlockedSignals& operator=(const BlockedSignals&) = delete;
  ~BlockedSignals();

 private:
  sigset_t previous_;
};

} // namespace vitrain::launch
