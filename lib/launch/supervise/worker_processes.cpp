#include "launch/supervise/worker_processes.h"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>

#include "core/check.h"
#include "core/system/clock.h"
#include "launch/processes/descriptors.h"
#include "launch/processes/rendezvous.h"
#include "launch/processes/signals.h"
#include "launch/processes/spawn.h"
#include "launch/processes/worker_process.h"
#include "launch/supervise/worker_log.h"

namespace vitrain::launch {
namespace {

constexpr double kReapSeconds = 5;

} // namespace

std::string WorkerProcess::label() const {
  return fmt::format("rank {} (pid {}, {})", rank, pid, device);
}

std::string WorkerProcess::stated_reason(int lines) const {
  const bool spoke = exit_status && !exit_status->signalled;
  return spoke ? launch::stated_reason(log, log_start, lines) : "";
}

WorkerProcesses::WorkerProcesses(const SupervisorOptions& options)
    : options_(options),
      first_rank_(options.nodes != nullptr ? options.nodes->first_rank() : 0),
      heartbeats_(static_cast<int>(options.devices.size())) {}

WorkerProcesses::~WorkerProcesses() {
  kill_all();
  // With a time limit: a process that hangs in the kernel is left to init.
  const double deadline = monotonic_seconds() + kReapSeconds;
  reap();
  while (alive() > 0 && monotonic_seconds() < deadline) {
    ::usleep(2000);
    reap();
  }
}

void WorkerProcesses::start() {
  make_folders(options_.log_folder);
  const Fd job = make_memfd("vitrain-job", options_.job);
  const Fd terminal =
      duplicate_or_null(options_.show_all_ranks ? -1 : STDOUT_FILENO);
  // The listening socket is closed here once all have started: after rank 0 is
  // gone, connecting to it is then refused instead of waiting. A single worker
  // needs no socket.
  ListeningSocket own;
  const bool alone = options_.nodes == nullptr;
  if (alone && options_.devices.size() > 1) {
    own = listen_on_loopback();
  }
  for (int i = 0; i < static_cast<int>(options_.devices.size()); ++i) {
    start_member(
        i,
        job.get(),
        alone ? own.socket.get() : options_.store_socket,
        terminal.get(),
        alone ? own.port : options_.store_port);
  }
}

void WorkerProcesses::start_member(
    int local_rank,
    int job,
    int listen,
    int terminal,
    int port) {
  const NodeLink* nodes = options_.nodes;
  const int rank = first_rank_ + local_rank;
  const int local_world = static_cast<int>(options_.devices.size());
  const int world = nodes != nullptr ? nodes->world_size() : local_world;
  WorkerProcess member;
  member.rank = rank;
  member.device =
      options_.devices[static_cast<std::size_t>(local_rank)].label();
  member.log = options_.log_folder / fmt::format("workerlog.{}", rank);
  const WorkerLog log = open_worker_log(
      member.log,
      {.rank = rank,
       .world_size = world,
       .device = member.device,
       .restarts = options_.restarts});
  member.log_start = log.start;

  SpawnOptions spawn_options{
      .executable = options_.executable,
      .arguments = options_.arguments,
      .environment = worker_environment(
          options_.environment,
          {.rank = rank,
           .local_rank = local_rank,
           .world_size = world,
           .local_world_size = local_world,
           .master_address =
               nodes != nullptr ? nodes->master_address() : "127.0.0.1",
           .master_port = port,
           .own_address = nodes != nullptr ? nodes->own_address() : "127.0.0.1",
           .cores = options_.cores}),
      .output = log.file.get(),
      .inherited = options_.inherited};
  const auto pass = [&](const char* name, int fd) {
    spawn_options.environment[name] = std::to_string(fd);
    spawn_options.inherited.push_back(fd);
  };
  pass(variable::kJobFd, job);
  pass(variable::kHeartbeatFd, heartbeats_.fd());
  if (rank == 0) {
    if (listen >= 0) {
      pass(variable::kListenFd, listen);
    }
    pass(variable::kTerminalFd, terminal);
  }
  member.pid = spawn(spawn_options);
  members_.push_back(std::move(member));
}

int WorkerProcesses::alive() const {
  int alive = 0;
  for_running([&](pid_t) { ++alive; });
  return alive;
}

std::vector<int> WorkerProcesses::reap() {
  std::vector<int> ended;
  for (WorkerProcess& member : members_) {
    // Several changes may have occurred since the last call: stopped,
    // continued, ended.
    while (!member.exit_status) {
      siginfo_t info{};
      const int result = ::waitid(
          P_PID,
          static_cast<id_t>(member.pid),
          &info,
          WEXITED | WSTOPPED | WCONTINUED | WNOHANG);
      if (result < 0 && errno == EINTR) {
        continue;
      }
      if (result < 0) {
        // Other code, which must not do so, has reaped the worker; the exit
        // status is lost.
        member.exit_status = {
            .signalled = false,
            .value = static_cast<int>(ExitCode::kWorkerDied)};
        ended.push_back(member.rank);
        break;
      }
      if (info.si_pid == 0) {
        break;
      }
      switch (info.si_code) {
        case CLD_STOPPED:
          member.stopped_since = monotonic_seconds();
          member.stopped_by = info.si_status;
          break;
        case CLD_CONTINUED:
          member.stopped_since.reset();
          member.continued_at = monotonic_seconds();
          break;
        default:
          member.exit_status = {
              .signalled = info.si_code != CLD_EXITED, .value = info.si_status};
          member.stopped_since.reset();
          ended.push_back(member.rank);
      }
    }
  }
  return ended;
}

void WorkerProcesses::for_running(
    const std::function<void(pid_t)>& action) const {
  for (const WorkerProcess& member : members_) {
    if (!member.exit_status) {
      action(member.pid);
    }
  }
}

bool WorkerProcesses::write_stacks(int rank) {
  WorkerProcess& worker =
      members_[static_cast<std::size_t>(rank - first_rank_)];
  std::error_code error;
  const auto size = std::filesystem::file_size(worker.log, error);
  if (progress(rank).stacks != Stacks::kReady || error ||
      ::kill(worker.pid, stack_signal()) != 0) {
    return false;
  }
  worker.log_end = static_cast<off_t>(size);
  constexpr double kMostSeconds = 1;
  const double end = monotonic_seconds() + kMostSeconds;
  while (progress(rank).stacks == Stacks::kReady && monotonic_seconds() < end) {
    ::usleep(2000);
  }
  return progress(rank).stacks == Stacks::kWritten;
}

void WorkerProcesses::signal_all(int number) {
  for_running([number](pid_t pid) { ::kill(pid, number); });
}

void WorkerProcesses::end_all() {
  for_running([](pid_t pid) {
    // If the signal queue is full, send the signal without the value.
    if (::sigqueue(pid, SIGTERM, sigval{.sival_int = kRunFailed}) != 0) {
      ::kill(pid, SIGTERM);
    }
    ::kill(pid, SIGCONT);
  });
}

void WorkerProcesses::kill_all() {
  for_running([](pid_t pid) { ::kill(-pid, SIGKILL); });
}

} // namespace vitrain::launch
