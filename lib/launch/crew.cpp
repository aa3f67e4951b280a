#include "launch/crew.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "core/check.h"
#include "core/text.h"
#include "launch/descriptors.h"
#include "launch/job.h"
#include "launch/rendezvous.h"
#include "launch/spawn.h"
#include "launch/worker.h"

namespace vitrain::launch {
namespace {

constexpr double kReapSeconds = 5;

// Opens a worker's log for appending and tells where this run's part begins.
Fd open_log(const std::filesystem::path& path, off_t& start) {
  // O_NONBLOCK: a FIFO of that name must not hang the start.
  Fd fd(::open(
      path.c_str(),
      O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NONBLOCK,
      0666));
  struct stat status {};
  VITRAIN_CHECK(
      fd && ::fstat(fd.get(), &status) == 0,
      ExitCode::kStorage,
      "{}: cannot open the worker's log: {}",
      printable(path.native()),
      error_text(errno));
  VITRAIN_CHECK(
      S_ISREG(status.st_mode),
      ExitCode::kStorage,
      "{}: cannot be the worker's log: not a regular file",
      printable(path.native()));
  start = status.st_size;
  return fd;
}

} // namespace

std::string Member::label() const {
  return fmt::format("rank {} (pid {}, {})", rank, pid, device);
}

Crew::Crew(const SupervisorOptions& options)
    : options_(options),
      heartbeats_(static_cast<int>(options.devices.size())) {}

Crew::~Crew() {
  kill_all();
  // Bounded: a process that hangs in the kernel is left to init.
  const double deadline = monotonic_seconds() + kReapSeconds;
  reap();
  while (alive() > 0 && monotonic_seconds() < deadline) {
    ::usleep(2000);
    reap();
  }
}

void Crew::start() {
  make_folders(options_.log_folder);
  const Fd job = make_job(options_.job);
  const Fd terminal = duplicate_or_null(STDOUT_FILENO);
  // Closed here when all have started: once rank 0 is gone, connecting to it is
  // refused instead of waiting.
  const Rendezvous rendezvous = listen_on_loopback();
  for (int rank = 0; rank < static_cast<int>(options_.devices.size()); ++rank) {
    start_member(
        rank,
        job.get(),
        rendezvous.socket.get(),
        terminal.get(),
        rendezvous.port);
  }
}

void Crew::start_member(int rank, int job, int listen, int terminal, int port) {
  const int world = static_cast<int>(options_.devices.size());
  Member member;
  member.rank = rank;
  member.device = options_.devices[static_cast<std::size_t>(rank)].label();
  member.log = options_.log_folder / fmt::format("workerlog.{}", rank);
  const Fd log = open_log(member.log, member.log_start);

  SpawnOptions spawn_options{
      .executable = options_.executable,
      .arguments = options_.arguments,
      .environment = worker_environment(
          options_.environment,
          {.rank = rank,
           .local_rank = rank,
           .world_size = world,
           .local_world_size = world,
           .master_port = port,
           .cores = options_.cores}),
      .output = log.get(),
      .inherited = options_.inherited};
  const auto pass = [&](const char* name, int fd) {
    spawn_options.environment[name] = std::to_string(fd);
    spawn_options.inherited.push_back(fd);
  };
  pass(variable::kJobFd, job);
  pass(variable::kHeartbeatFd, heartbeats_.fd());
  if (rank == 0) {
    pass(variable::kListenFd, listen);
    pass(variable::kTerminalFd, terminal);
  }
  member.pid = spawn(spawn_options);
  members_.push_back(std::move(member));
}

int Crew::alive() const {
  return static_cast<int>(
      std::count_if(members_.begin(), members_.end(), [](const Member& member) {
        return !member.ending;
      }));
}

std::vector<int> Crew::reap() {
  std::vector<int> ended;
  for (Member& member : members_) {
    // Several changes may have come together: stopped, continued, ended.
    while (!member.ending) {
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
        // Reaped by somebody else, against the contract: how it ended is lost.
        member.ending = {
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
          break;
        default:
          member.ending = {
              .signalled = info.si_code != CLD_EXITED, .value = info.si_status};
          member.stopped_since.reset();
          ended.push_back(member.rank);
      }
    }
  }
  return ended;
}

void Crew::signal_all(int number) {
  for (const Member& member : members_) {
    if (!member.ending) {
      ::kill(member.pid, number);
    }
  }
}

void Crew::kill_all() {
  for (const Member& member : members_) {
    if (!member.ending) {
      ::kill(-member.pid, SIGKILL);
    }
  }
}

} // namespace vitrain::launch
