#pragma once

#include <sys/types.h>

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "launch/processes/exit_status.h"
#include "launch/supervise/heartbeat.h"
#include "launch/supervise/supervise.h"

namespace vitrain::launch {

// One worker as the supervisor sees it.
struct WorkerProcess {
  int rank = 0; // in the run
  pid_t pid = 0;
  std::string device;
  std::filesystem::path log;
  off_t log_start = 0; // where this run's part of the log begins
  std::optional<ExitStatus> exit_status; // nothing: still running
  std::optional<double> stopped_since; // monotonic; set while it is stopped
  int stopped_by = 0; // the signal that stopped it
  double continued_at = 0; // monotonic; silence before it does not count

  // "rank 1 (pid 1234, cpu)".
  std::string label() const;
  // What it says of its failure, at most that many lines of its log; "" if a
  // signal ended it: then its last words are about something else.
  std::string stated_reason(int lines) const;
};

// The workers of a run: starts, watches, signals and reaps them. What to do
// about their fate is the supervisor's business.
class WorkerProcesses {
 public:
  // Starts nothing. Keeps a reference to `options`.
  explicit WorkerProcesses(const SupervisorOptions& options);
  WorkerProcesses(const WorkerProcesses&) = delete;
  WorkerProcesses& operator=(const WorkerProcesses&) = delete;
  // Kills and reaps whoever is left.
  ~WorkerProcesses();

  // Throws Error; then some may be running, which the destructor ends.
  void start();

  const std::vector<WorkerProcess>& members() const { return members_; }
  WorkerProcess& member(int rank) {
    return members_[static_cast<std::size_t>(rank - first_rank_)];
  }
  int alive() const;
  HeartbeatBlock::Progress progress(int rank) const {
    return heartbeats_.progress(rank - first_rank_);
  }

  // Takes note of every change of state since the last call; returns the ranks
  // that have ended since.
  std::vector<int> reap();

  // To every worker that is running.
  void signal_all(int number);
  // To every worker that is running, because another one has failed: SIGTERM
  // that says so (kRunFailed), and SIGCONT, without which a stopped one would
  // not act on it.
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
