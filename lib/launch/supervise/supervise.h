#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "launch/devices/devices.h"
#include "launch/processes/environment.h"
#include "launch/supervise/node_link.h"
#include "launch/supervise/stall.h"

namespace vitrain::launch {

struct SupervisorOptions {
  // Program of the workers. Default: this program itself.
  std::filesystem::path executable = "/proc/self/exe";
  std::vector<std::string> arguments{"vitrain", "--worker"};
  // One worker per slot, in the order of ranks.
  std::vector<DeviceSlot> devices;
  // The other machines of the run (null: none); on node 0, the socket where
  // rank 0's store listens for all machines (-1: none), and its port.
  NodeLink* nodes = nullptr;
  int store_socket = -1;
  int store_port = 0;
  // JSON text, read by read_worker_context().
  std::string job;
  // Descriptors above 2 that every worker inherits under the same numbers (and
  // finds in the job), such as dataset indexes.
  std::vector<int> inherited;
  // Created when missing; worker N appends to `workerlog.N` in it.
  std::filesystem::path log_folder;
  // The user's environment; worker_environment() adds the workers' variables.
  Environment environment = current_environment();
  int cores = 1; // shared by the workers
  int restarts = 0; // number of earlier restarts of the run
  PhaseTimeouts timeouts;
  // After a failure: seconds from SIGTERM to SIGKILL for the other workers; at
  // most 0.5 apply if the failed worker was stopped or silent.
  double grace_seconds = 2;
  // A stopped worker (SIGSTOP) has failed after this time without SIGCONT.
  double stopped_seconds = 4;
  // Seconds that a failure that may be a consequence
  // (Verdict::kPerhapsConsequence) waits for its cause to be seen.
  double blame_seconds = 1;
  // Print every worker's lines on stdout, after "[rank N] ", instead of what
  // rank 0 writes to its terminal.
  bool show_all_ranks = false;
  // True: workers save when a stop signal arrives after set-up. False
  // (evaluation): they end at once, as all do in set-up.
  bool saves = true;
  int log_lines = 15; // last lines of the failed worker's log in the report
  // Replaces "/" in the paths of the control group's files.
  std::filesystem::path system_root = "/";
  // Called with a line for the user when something happens during the run (a
  // stop request, a failure that ends it).
  std::function<void(const std::string&)> notice = [](const std::string&) {};
};

struct SuperviseResult {
  // 0: success. 75 (kStopped): stopped on request, after saving. 1 to 8
  // (ExitCode): the exit code of the worker that failed first, or 7
  // (kWorkerDied) if it has none of these codes, for example because a signal
  // killed it. 128 + n: ended by signal n, either the second stop signal, or
  // the first one while there was nothing to save. If another machine failed
  // first: its code.
  int exit_code = 0;
  // Report for the user, in lines that end with newlines: which worker failed
  // first, how and where, and the last lines of its log. Empty after success
  // and after a single stop signal, unless a worker does not end.
  std::string report;
  // If a worker of this machine failed first: its root cause in one line, for
  // lists of runs, such as "rank 1 killed by signal 9 (SIGKILL) in step 12" or
  // "rank 0: no such file: x". Otherwise empty.
  std::string reason;
  // Rank of the worker that failed first; nullopt if it ran on another machine,
  // or if none failed.
  std::optional<int> failed_rank;
  // How and where the worker failed_rank failed; equal texts mean equal
  // failures: "was killed by signal 11 (SIGSEGV) in step 12". Empty if no
  // worker of this machine failed first.
  std::string failure;
  bool failed_in_setup = false; // the worker failed_rank was in set-up
  // True if a stop signal ended the run while there was nothing to save: during
  // set-up, or if SupervisorOptions::saves is false.
  bool stopped_in_setup = false;
  // Last step of the run (from 1) that a worker of this machine has reported as
  // finished during this call of supervise(); -1: none.
  std::int64_t step = -1;
};

// Starts the workers of this machine, waits for them, and leaves none behind;
// with several machines, returns when the workers of all have ended.
//
// The first failure ends the run. A worker fails if it ends with a code other
// than 0 and 75 or by a signal, ends with 0 before it called Heartbeat::done(),
// is stopped (SIGSTOP) for too long, or shows no progress. The other workers
// get SIGTERM, which tells them the reason (StopRequest::run_failed()), and
// after the grace period SIGKILL. What may be a consequence
// (Verdict::kPerhapsConsequence) counts as the cause only if no other failure
// is seen within blame_seconds; of several, the worker that failed first is the
// cause (Heartbeat::failed()). Of silent workers, one that waits for other
// workers (Doing) is the cause only if all do.
//
// SIGTERM, SIGINT, SIGHUP and SIGUSR1 are forwarded to the workers once (SIGHUP
// as SIGTERM); the workers save and exit with 75. A second signal (not within
// half a second of the first) kills them. If a worker is still in set-up, there
// is nothing to save: the run ends within two seconds, with 128 + the signal. A
// signal that this process ignores stays ignored (nohup). A slow or vanished
// reader of the standard streams neither delays nor ends the run: this process
// ignores output_signals() from then on.
//
// The calling thread must outlive the workers: they are killed when it ends.
// Throws Error if workers cannot be started (kUsage, kInternal) or their logs
// cannot be created (kStorage); no worker is left then.
SuperviseResult supervise(SupervisorOptions options);

} // namespace vitrain::launch
