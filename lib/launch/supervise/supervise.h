#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "launch/devices/devices.h"
#include "launch/foreign/environment.h"
#include "launch/nodes/node_link.h"
#include "launch/supervise/stall.h"

namespace vitrain::launch {

struct SupervisorOptions {
  // The workers' program: this program itself.
  std::filesystem::path executable = "/proc/self/exe";
  std::vector<std::string> arguments{"vitrain", "--worker"};
  // One worker per slot, in the order of ranks.
  std::vector<DeviceSlot> devices;
  // The other machines of the run, if there are any, and the socket (on node 0)
  // and the port where rank 0's store listens for all of them.
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
  // The user's environment, see worker_environment().
  Environment environment = current_environment();
  int cores = 1; // shared by the workers
  int restarts = 0; // how often the run has been started again
  SectionTimeouts timeouts;
  // After a failure: seconds from SIGTERM to SIGKILL for the other workers.
  double grace_seconds = 2;
  // A stopped worker (SIGSTOP) is ended after this time without SIGCONT.
  double stopped_seconds = 4;
  // How long a failure that may be a consequence waits for its cause.
  double blame_seconds = 1;
  // Shows every worker's lines on stdout, after "[rank N] ", instead of what
  // rank 0 writes to its terminal.
  bool show_all_ranks = false;
  // Whether workers that a stop signal reaches after set-up save; else they end
  // at once, as all do in set-up.
  bool saves = true;
  int log_lines = 15; // of the failed worker's log in the report
  // Stands for "/" where the control group's files are read.
  std::filesystem::path system_root = "/";
  // Gets a line for people when something happens during the run (a stop
  // request, a failure that ends it).
  std::function<void(const std::string&)> notice = [](const std::string&) {};
};

struct Outcome {
  // 0; 75; the first failed worker's code or 7; 128 + n after a second stop
  // signal n.
  int exit_code = 0;
  // Report for the user, lines with newlines: the worker that failed first,
  // how, where, and its last lines. Empty after success.
  std::string report;
  // Of a worker of this machine that failed first, the root cause in one line,
  // for lists of runs: "rank 1 killed by signal 9 (SIGKILL) in step 12", "rank
  // 0: no such file: x". Else empty.
  std::string reason;
  // Rank of the worker that failed first, if it ran on this machine.
  std::optional<int> failed_rank;
  // How and where it failed, equal for equal failures: "was killed by signal 11
  // (SIGSEGV) in step 12".
  std::string failure;
  bool failed_in_setup = false;
  // A stop signal came before there was anything to save.
  bool stopped_in_setup = false;
  // Steps that the furthest worker of this machine has finished in this run of
  // the supervisor; -1: none.
  std::int64_t step = -1;
};

// Starts the workers of this machine, waits for them, and leaves none behind;
// with several machines, returns when those of all have ended.
//
// The first failure ends the run: a worker that ends with a code other than 75
// or by a signal, that ends with 0 before it called Heartbeat::done(), that is
// stopped, or that shows no progress. The other workers get SIGTERM, which
// tells them so (StopRequest::run_failed()), and, after the grace period,
// SIGKILL. Exit code 7 and SIGABRT are blamed only if no other failure is seen
// within blame_seconds; of several, the one that failed first
// (Heartbeat::failed()).
//
// SIGTERM, SIGINT, SIGHUP and SIGUSR1 are passed on to the workers once (SIGHUP
// as SIGTERM), who save and exit with 75; the second one (not within half a
// second of the first) kills them. Where a worker is still in set-up there is
// nothing to save: the run ends within two seconds, with 128 + the signal. A
// signal that this process ignores stays ignored (nohup). No reader of the
// standard streams is waited for, and none ends the run: this process ignores
// output_signals() from then on.
//
// The calling thread must outlive the workers: they are killed when it ends.
// Throws Error when workers cannot be started (kUsage, kInternal) or their logs
// cannot be created (kStorage); no worker is left then.
Outcome supervise(SupervisorOptions options);

} // namespace vitrain::launch
