// The supervisor as a process of its own: what signals, its death and odd
// starting conditions do to it and to its workers.

#include <dirent.h>
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <set>

#include "core/check.h"
#include "launch/processes/environment.h"
#include "launch/processes/spawn.h"
#include "trial.h"

namespace vitrain::launch {
namespace {

using testing::HasSubstr;
using testing::Not;

// The state letter and parent of a process; 0 when it is gone.
struct ProcessState {
  char state = 0;
  pid_t parent = 0;
};

ProcessState state_of(pid_t pid) {
  const std::string stat = slurp("/proc/" + std::to_string(pid) + "/stat");
  const std::size_t end = stat.rfind(')'); // names may hold anything
  ProcessState result;
  if (end != std::string::npos) {
    std::istringstream(stat.substr(end + 1)) >> result.state >> result.parent;
  }
  return result;
}

bool is_running(pid_t pid) {
  const char state = state_of(pid).state;
  return state != 0 && state != 'Z' && state != 'X';
}

std::vector<pid_t> children_of(pid_t parent) {
  std::vector<pid_t> children;
  for (const auto& entry : std::filesystem::directory_iterator("/proc")) {
    std::int64_t pid = 0;
    if (parse_int(entry.path().filename().native(), pid) &&
        state_of(static_cast<pid_t>(pid)).parent == parent) {
      children.push_back(static_cast<pid_t>(pid));
    }
  }
  return children;
}

template <typename Condition>
bool wait_until(Condition&& condition, double seconds = 30) {
  const double end = monotonic_seconds() + seconds;
  while (!condition()) {
    if (monotonic_seconds() > end) {
      return false;
    }
    ::usleep(5000);
  }
  return true;
}

constexpr double kStepTimeout = 2.5;

// Always ended and reaped.
class SupervisorProcess {
 public:
  // `prefix`: shell words before the program, such as a ulimit; `suffix`:
  // redirections.
  explicit SupervisorProcess(
      const Scripts& scripts,
      const std::string& prefix = "",
      const std::string& suffix = "")
      : ranks_(scripts.size()) {
    Json job = Json::parse(job_of(scripts));
    job["step_timeout"] = kStepTimeout;
    std::ofstream(folder_.path() / "job.json") << job.dump();
    const Fd output(::open("/dev/null", O_WRONLY | O_CLOEXEC));
    pid_ = spawn(
        {.executable = "/bin/sh",
         .arguments =
             {"sh",
              "-c",
              fmt::format(
                  "{} exec {} --supervise {} {}",
                  prefix,
                  kFakeWorker.native(),
                  folder_.path().native(),
                  suffix)},
         .environment = current_environment(),
         .output = output.get(),
         .inherited = {}});
  }
  SupervisorProcess(const SupervisorProcess&) = delete;
  SupervisorProcess& operator=(const SupervisorProcess&) = delete;
  ~SupervisorProcess() {
    if (!reaped_) {
      ::kill(pid_, SIGKILL);
      ::waitpid(pid_, nullptr, 0);
    }
  }

  pid_t pid() const { return pid_; }

  // Waits for all workers to have said `text` in their logs; their pids.
  std::vector<pid_t> workers(const std::string& text = "ready") {
    EXPECT_TRUE(wait_until([&] {
      for (std::size_t rank = 0; rank < ranks_; ++rank) {
        if (log(rank).find(text) == std::string::npos) {
          return false;
        }
      }
      return true;
    })) << report();
    return children_of(pid_);
  }

  void send(int number) const { ::kill(pid_, number); }

  // Exit code, or 1000 + the signal that killed it.
  int wait() {
    const double start = monotonic_seconds();
    int status = 0;
    pid_t got = 0;
    EXPECT_TRUE(wait_until(
        [&] {
          got = ::waitpid(pid_, &status, WNOHANG);
          return got != 0;
        },
        60));
    seconds = monotonic_seconds() - start;
    reaped_ = got == pid_;
    return WIFSIGNALED(status) ? 1000 + WTERMSIG(status) : WEXITSTATUS(status);
  }

  std::string report() const { return slurp(folder_.path() / "report"); }
  std::string log(std::size_t rank) const {
    return slurp(
        folder_.path() / "log" / ("workerlog." + std::to_string(rank)));
  }

  double seconds = 0; // of wait()

 private:
  TempFolder folder_;
  std::size_t ranks_;
  pid_t pid_ = 0;
  bool reaped_ = false;
};

const Script kStopsWhenAsked{
    "handle_stop",
    "enter step",
    "say ready",
    "until_stop 75"};
// Never stops, however politely it is asked.
const Script kGoesOn{"handle_stop", "enter step", "say ready", "beating 100"};
const Script kHangs{"handle_stop", "enter step", "say ready", "hang"};

TEST(SupervisorProcess, KilledItTakesItsWorkersAlong) {
  SupervisorProcess supervisor({kGoesOn, kGoesOn, kGoesOn});
  const std::vector<pid_t> workers = supervisor.workers();
  ASSERT_EQ(workers.size(), 3U);
  supervisor.send(SIGKILL);
  EXPECT_EQ(supervisor.wait(), 1000 + SIGKILL);
  for (const pid_t pid : workers) {
    EXPECT_TRUE(wait_until([&] { return !is_running(pid); }));
  }
}

TEST(SupervisorProcess, StopSignalsReachTheWorkersOnce) {
  for (const auto& [sent, seen] : std::vector<std::pair<int, std::string>>{
           {SIGTERM, "SIGTERM"},
           {SIGINT, "SIGINT"},
           {SIGUSR1, "SIGUSR1"},
           {SIGHUP, "SIGTERM"}}) {
    SupervisorProcess supervisor({kStopsWhenAsked, kStopsWhenAsked});
    supervisor.workers();
    supervisor.send(sent);
    EXPECT_EQ(supervisor.wait(), 75) << supervisor.report();
    EXPECT_THAT(supervisor.log(0), HasSubstr("stopping for " + seen));
    EXPECT_THAT(supervisor.log(1), HasSubstr("stopping for " + seen));
    EXPECT_THAT(
        supervisor.report(), HasSubstr("a second signal ends them at once"));
  }
}

TEST(SupervisorProcess, SignalToAllProcessesIsOneRequest) {
  SupervisorProcess supervisor({kStopsWhenAsked, kStopsWhenAsked});
  const std::vector<pid_t> workers = supervisor.workers();
  supervisor.send(SIGTERM);
  supervisor.send(SIGTERM);
  for (const pid_t pid : workers) {
    ::kill(pid, SIGTERM);
  }
  EXPECT_EQ(supervisor.wait(), 75) << supervisor.report();
}

// There is nothing to save, and a rendezvous may hang for minutes.
TEST(SupervisorProcess, StopInSetUpEndsWithinTwoSeconds) {
  const Script ends{"set_up_stop", "say ready", "hang"};
  const Script is_not_ready_yet{"say ready", "sleep 0.5", "set_up_stop"};
  const Script never_is_ready{"say ready", "hang"};
  for (const auto& [number, scripts] : std::vector<std::pair<int, Scripts>>{
           {SIGTERM, {ends, ends}},
           {SIGHUP, {ends, ends}},
           {SIGINT, {is_not_ready_yet, ends}},
           {SIGTERM, {ends, never_is_ready}},
           // One that waits for the other in its first step.
           {SIGUSR1, {kGoesOn, ends}},
           {SIGTERM, {kGoesOn, never_is_ready}}}) {
    SupervisorProcess supervisor(scripts);
    const std::vector<pid_t> workers = supervisor.workers();
    supervisor.send(number);
    EXPECT_EQ(supervisor.wait(), 128 + number) << supervisor.report();
    EXPECT_LT(supervisor.seconds, 2);
    EXPECT_THAT(supervisor.report(), HasSubstr("there is nothing to save"));
    EXPECT_THAT(supervisor.report(), Not(HasSubstr("failed")));
    for (const pid_t pid : workers) {
      EXPECT_FALSE(is_running(pid));
    }
  }
}

TEST(SupervisorProcess, SecondSignalEndsAtOnce) {
  for (const int second : {SIGTERM, SIGINT}) {
    SupervisorProcess supervisor({kGoesOn, kGoesOn});
    const std::vector<pid_t> workers = supervisor.workers();
    supervisor.send(SIGTERM);
    ::usleep(700'000);
    supervisor.send(second);
    EXPECT_EQ(supervisor.wait(), 128 + second) << supervisor.report();
    EXPECT_LT(supervisor.seconds, 5);
    for (const pid_t pid : workers) {
      EXPECT_FALSE(is_running(pid));
    }
  }
}

// As nohup starts it, and a script in its background.
TEST(SupervisorProcess, IgnoredSignalStaysIgnored) {
  for (const auto& [name, ignored] : std::vector<std::pair<std::string, int>>{
           {"HUP", SIGHUP},
           {"INT", SIGINT},
           {"USR1", SIGUSR1},
           {"TERM", SIGTERM}}) {
    SupervisorProcess supervisor(
        {kStopsWhenAsked, kStopsWhenAsked}, fmt::format("trap '' {};", name));
    const std::vector<pid_t> workers = supervisor.workers();
    supervisor.send(ignored);
    ::usleep(300'000);
    EXPECT_TRUE(is_running(supervisor.pid())) << name;
    for (const pid_t pid : workers) {
      EXPECT_TRUE(is_running(pid)) << name;
    }
    EXPECT_THAT(supervisor.report(), Not(HasSubstr("SIG")));
    // It handles the other signals and ends its workers as before.
    supervisor.send(ignored == SIGTERM ? SIGINT : SIGTERM);
    EXPECT_EQ(supervisor.wait(), 75) << supervisor.report();
  }
}

TEST(SupervisorProcess, ThatIgnoresSigtermEndsItsWorkersAfterAFailure) {
  SupervisorProcess supervisor(
      {kStopsWhenAsked, {"say ready", "sleep 0.2", "exit 3"}}, "trap '' TERM;");
  EXPECT_EQ(supervisor.wait(), 3) << supervisor.report();
  EXPECT_THAT(supervisor.log(0), HasSubstr("stopping for a failure"));
}

TEST(SupervisorProcess, ContinuedWorkerGoesOn) {
  SupervisorProcess supervisor(
      {{"say ready", "sleep 1", "done"}, {"say ready", "sleep 0.2", "done"}});
  const std::vector<pid_t> workers = supervisor.workers();
  ::kill(workers.front(), SIGSTOP);
  ::usleep(500'000);
  ::kill(workers.front(), SIGCONT);
  EXPECT_EQ(supervisor.wait(), 0) << supervisor.report();
}

TEST(SupervisorProcess, StandardStreamsMayBeClosed) {
  for (const char* closed : {"<&-", "<&- >&-", "<&- >&- 2>&-"}) {
    SupervisorProcess supervisor(
        {{"terminal unheard", "say ready", "connect", "done"},
         {"say ready", "connect", "done"}},
        "",
        closed);
    EXPECT_EQ(supervisor.wait(), 0) << closed << supervisor.report();
    EXPECT_THAT(supervisor.log(0), testing::EndsWith("\nready\n"));
  }
}

TEST(SupervisorProcess, FewDescriptorsAreEnough) {
  SupervisorProcess supervisor(
      {{"connect", "done"}, {"connect", "done"}}, "ulimit -n 64;");
  EXPECT_EQ(supervisor.wait(), 0) << supervisor.report();
}

TEST(SupervisorProcess, ListensOnLoopbackOnly) {
  SupervisorProcess supervisor({kStopsWhenAsked, kStopsWhenAsked});
  std::vector<pid_t> processes = supervisor.workers();
  processes.push_back(supervisor.pid());
  std::set<std::string> inodes;
  for (const pid_t pid : processes) {
    for (const auto& entry : std::filesystem::directory_iterator(
             "/proc/" + std::to_string(pid) + "/fd")) {
      const std::string target =
          std::filesystem::read_symlink(entry.path()).native();
      if (target.starts_with("socket:[")) {
        inodes.insert(target.substr(8, target.size() - 9));
      }
    }
  }
  EXPECT_EQ(inodes.size(), 1U); // rank 0's, for the rendezvous
  int listening = 0;
  for (const char* table : {"/proc/net/tcp", "/proc/net/tcp6"}) {
    std::istringstream lines(slurp(table));
    for (std::string line; std::getline(lines, line);) {
      std::istringstream columns(line);
      std::vector<std::string> words(10);
      for (std::string& word : words) {
        columns >> word;
      }
      // local_address, state (0A: LISTEN), inode.
      if (words[3] == "0A" && inodes.contains(words[9])) {
        ++listening;
        EXPECT_TRUE(words[1].starts_with("0100007F:")) << line;
      }
    }
  }
  EXPECT_EQ(listening, 1);
  supervisor.send(SIGTERM);
  EXPECT_EQ(supervisor.wait(), 75);
}

TEST(SupervisorProcess, SuspendedRunBlamesNobody) {
  // As in a frozen container: all processes stand still for longer than a step
  // may take, and the supervisor is the first to continue.
  SupervisorProcess supervisor({kStopsWhenAsked, kStopsWhenAsked});
  const std::vector<pid_t> workers = supervisor.workers();
  supervisor.send(SIGSTOP);
  for (const pid_t pid : workers) {
    ::kill(pid, SIGSTOP);
  }
  ::usleep(static_cast<useconds_t>(1e6 * (kStepTimeout + 0.5)));
  supervisor.send(SIGCONT);
  ::usleep(500'000);
  for (const pid_t pid : workers) {
    ::kill(pid, SIGCONT);
  }
  ::usleep(200'000);
  supervisor.send(SIGTERM);
  EXPECT_EQ(supervisor.wait(), 75) << supervisor.report();
}

TEST(SupervisorProcess, HungStepIsEndedWithAReport) {
  SupervisorProcess supervisor({kHangs, kHangs});
  EXPECT_EQ(supervisor.wait(), 7);
  EXPECT_THAT(supervisor.report(), HasSubstr("made no progress for"));
  EXPECT_THAT(supervisor.report(), HasSubstr("  | ready\n"));
}

} // namespace
} // namespace vitrain::launch
