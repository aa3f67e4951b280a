#pragma once

#include <sys/types.h>

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "launch/processes/exit_status.h"
#include "launch/processes/heartbeat.h"
#include "launch/supervise/supervise.h"

namespace vitrain::launch {

// One worker as the supervisor sees it.
struct WorkerProcess {
  int rank = 0; // in the whole run
  pid_t pid = 0;
  std::string device;
  std::filesystem::path log;
  off_t log_start = 0; // offset at which this attempt's part of the log begins
  off_t log_end = -1; // offset at which its stacks begin; -1: none
  std::optional<ExitStatus> exit_status; // nullopt: still running
  // monotonic_seconds() when it was stopped; nullopt: it is not stopped.
  std::optional<double> stopped_since;
  int stopped_by = 0; // the signal that stopped it
  // monotonic_seconds() of its last SIGCONT; earlier silence does not count.
  double continued_at = 0;

  // Returns "rank 1 (pid 1234, cpu)".
  std::string label() const;
  // Returns the reason that the worker logged for its failure, at most `lines`
  // lines; "" while it runs, and if a signal ended it: then its last error
  // message is about something else.
  std::string stated_reason(int lines) const;
};

// The workers of this machine: starts, watches, signals and reaps them. The
// supervisor decides what to do about failures.
class WorkerProcesses {
 public:
  // Starts nothing. Keeps a reference to `options`.
  explicit WorkerProcesses(const SupervisorOptions& options);
  WorkerProcesses(const WorkerProcesses&) = delete;
  WorkerProcesses& operator=(const WorkerProcesses&) = delete;
  // Kills the workers that are left and reaps them, within five seconds.
  ~WorkerProcesses();

  // Starts all workers. Throws Error as supervise() does; some may be running
  // then, which the destructor ends.
  void start();

  const std::vector<WorkerProcess>& members() const { return members_; }
  const WorkerProcess& member(int rank) const {
    return members_[static_cast<std::size_t>(rank - first_rank_)];
  }
  int alive() const;
  HeartbeatBlock::Progress progress(int rank) const {
    return heartbeats_.progress(rank - first_rank_);
  }

  // Records every change of state since the last call; returns the ranks that
  // have ended since.
  std::vector<int> reap();

  // Lets a worker write the stacks of its threads to its log, and waits for it,
  // at most a second. Returns false if it cannot or does not.
  bool write_stacks(int rank);

  // Sends a signal to every running worker.
  void signal_all(int number);
  // Tells every running worker that another one has failed: sends SIGTERM with
  // the value kRunFailed, and SIGCONT, without which a stopped worker would not
  // handle it.
  void end_all();
  // Sends SIGKILL to the process groups of running workers.
  void kill_all();

 private:
  void for_running(const std::function<void(pid_t)>& action) const;
  void
  start_member(int local_rank, int job, int listen, int terminal, int port);

  const SupervisorOptions& options_;
  int first_rank_ = 0; // of this machine
  HeartbeatBlock heartbeats_;
  std::vector<WorkerProcess> members_;
};

} // namespace vitrain::launch
