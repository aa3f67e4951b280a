#include "launch/supervise/supervise.h"

#include <dirent.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <thread>

#include "core/check.h"
#include "launch/processes/process.h"
#include "logging/stream_output.h"
#include "support/errors.h"
#include "trial.h"

namespace vitrain::launch {
namespace {

using testing::EndsWith;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

int open_descriptor_count() {
  int count = 0;
  DIR* folder = ::opendir("/proc/self/fd");
  while (::readdir(folder) != nullptr) {
    ++count;
  }
  ::closedir(folder);
  return count;
}

// The child of this process that has this variable; 0: none.
pid_t child_with(const std::string& variable, const std::string& value) {
  for (const auto& entry : std::filesystem::directory_iterator("/proc")) {
    std::int64_t pid = 0;
    if (parse_int(entry.path().filename().native(), pid) &&
        status_of(static_cast<pid_t>(pid)).parent == ::getpid() &&
        environment_of(static_cast<pid_t>(pid))[variable] == value) {
      return static_cast<pid_t>(pid);
    }
  }
  return 0;
}

// Runs a trial in which rank `failing` must be reported with `code`, and checks
// that no process or descriptor is left.
SuperviseResult expect_failure(Trial& trial, int failing, int code) {
  logging::standard_error(); // keeps a descriptor from its first use on
  const int descriptors = open_descriptor_count();
  const SuperviseResult outcome = trial.run();
  EXPECT_EQ(outcome.exit_code, code) << outcome.report;
  EXPECT_EQ(outcome.failed_rank, failing) << outcome.report;
  EXPECT_THAT(
      outcome.report, StartsWith("rank " + std::to_string(failing) + " (pid "));
  EXPECT_EQ(::waitpid(-1, nullptr, WNOHANG), -1) << "a child is left";
  EXPECT_EQ(errno, ECHILD);
  EXPECT_EQ(open_descriptor_count(), descriptors);
  return outcome;
}

TEST(Supervisor, SuccessIsSilent) {
  Trial trial(
      {{"enter step", "beat 1", "done"}, {"enter step", "done", "exit 0"}});
  const SuperviseResult outcome = trial.run();
  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_EQ(outcome.report, "");
  EXPECT_FALSE(outcome.failed_rank.has_value());
  EXPECT_EQ(trial.notices, "");
}

TEST(Supervisor, AllStoppedIs75) {
  Trial trial({{"exit 75"}, {"sleep 0.2", "exit 75"}, {"done"}});
  EXPECT_EQ(trial.run().exit_code, 75);
}

TEST(Supervisor, WorkerSeesItsPlaceAndItsDescriptors) {
  const std::vector<std::string> script{
      "env RANK",
      "env WORLD_SIZE",
      "env MASTER_ADDR",
      "env OMP_NUM_THREADS",
      "fds",
      "ignored",
      "done"};
  std::vector<std::string> first = script;
  first.insert(first.begin(), "terminal hello from rank 0");
  Trial trial({first, script});
  testing::internal::CaptureStdout();
  const SuperviseResult outcome = trial.run();
  EXPECT_EQ(testing::internal::GetCapturedStdout(), "hello from rank 0\n");
  EXPECT_EQ(outcome.exit_code, 0) << outcome.report;
  EXPECT_THAT(trial.log(0), StartsWith("rank 0 of 2, cpu, started by vitrain"));
  EXPECT_THAT(trial.log(1), StartsWith("rank 1 of 2, cpu, started by vitrain"));
  EXPECT_THAT(
      trial.log(1),
      HasSubstr("\nRANK=1\nWORLD_SIZE=2\nMASTER_ADDR=127.0.0.1\n"
                "OMP_NUM_THREADS=1\n"));
  // Only rank 0 holds the socket; no worker ignores a signal.
  EXPECT_THAT(trial.log(0), HasSubstr("socket:"));
  EXPECT_THAT(trial.log(1), Not(HasSubstr("socket:")));
  EXPECT_THAT(trial.log(1), HasSubstr("fd 0 /dev/null"));
  EXPECT_THAT(trial.log(1), HasSubstr("vitrain-job"));
  EXPECT_THAT(trial.log(1), HasSubstr("vitrain-heartbeat"));
  EXPECT_THAT(trial.log(1), Not(HasSubstr("ignored")));
  // 0, 1, 2, job, heartbeat and the folder being listed.
  EXPECT_EQ(split(trial.log(1), '\n').size(), 1U + 4U + 6U + 1U);
}

TEST(Supervisor, ShowsEveryRanksLines) {
  Trial trial(
      {{"terminal not shown", "say from zero", "done"},
       {"say one", "say two", "done"}});
  trial.options.show_all_ranks = true;
  trial.options.restarts = 3;
  testing::internal::CaptureStdout();
  EXPECT_EQ(trial.run().exit_code, 0);
  const std::string shown = testing::internal::GetCapturedStdout();
  EXPECT_THAT(shown, HasSubstr("[rank 0] from zero\n"));
  EXPECT_THAT(shown, HasSubstr("[rank 1] one\n[rank 1] two\n"));
  EXPECT_THAT(shown, Not(HasSubstr("not shown")));
  EXPECT_THAT(trial.log(1), HasSubstr(", restart 3\n"));
}

TEST(Supervisor, TheCauseIsToldOnce) {
  Trial trial({{"hang"}, {"exit 3"}});
  const SuperviseResult outcome = trial.run();
  EXPECT_THAT(trial.notices, HasSubstr("rank 1 (pid "));
  EXPECT_THAT(trial.notices, Not(HasSubstr("exit code 3")));
  EXPECT_THAT(outcome.report, HasSubstr("exit code 3"));
}

TEST(Supervisor, TheOthersLearnThatNobodyAskedForTheEnd) {
  Trial trial(
      {{"handle_stop", "enter step", "until_stop 75"},
       {"enter step", "sleep 0.3", "exit 3"}});
  expect_failure(trial, 1, 3);
  EXPECT_THAT(trial.log(0), HasSubstr("stopping for a failure"));
}

TEST(Supervisor, KilledWorkerIsNamedFirst) {
  Trial trial(
      {{"enter step", "beat 11", "hang"},
       {"enter step", "beat 11", "say about to die", "mark", "raise 9"}});
  const SuperviseResult outcome = expect_failure(trial, 1, 7);
  EXPECT_LT(trial.seconds_since_mark(1), 5);
  EXPECT_THAT(
      outcome.report,
      HasSubstr("was killed by signal 9 (SIGKILL) in step 12."));
  EXPECT_THAT(
      outcome.report, HasSubstr("workerlog.1:\n  | about to die\n  | at "));
  EXPECT_THAT(trial.notices, HasSubstr("stopping the others"));
}

TEST(Supervisor, SegmentationFaultAndAbort) {
  for (const int number : {SIGSEGV, SIGABRT}) {
    Trial trial({{"mark", "raise " + std::to_string(number)}, {"hang"}});
    // A sanitizer would turn the signal into an exit code.
    trial.options.environment["ASAN_OPTIONS"] += ":handle_segv=0";
    trial.options.environment["TSAN_OPTIONS"] += ":handle_segv=0";
    EXPECT_THAT(
        expect_failure(trial, 0, 7).report,
        HasSubstr(fmt::format("killed by signal {}", number)));
    EXPECT_LT(trial.seconds_since_mark(0), 5);
  }
}

TEST(Supervisor, DefinedCodesArePassedOnAndOthersAre7) {
  for (const int code : {1, 2, 3, 4, 5, 6, 8, 9, 143}) {
    Trial trial({{"hang"}, {"exit " + std::to_string(code)}});
    trial.options.grace_seconds = 0.05;
    expect_failure(trial, 1, code <= 8 ? code : 7);
  }
}

TEST(Supervisor, SevenAloneIsNamedAfterASecond) {
  Trial trial({{"hang"}, {"exit 7"}});
  trial.options.grace_seconds = 0.05;
  expect_failure(trial, 1, 7);
  EXPECT_GE(trial.seconds, 0.9);
  Trial all({{"exit 7"}, {"exit 7"}});
  all.options.blame_seconds = 60;
  const SuperviseResult outcome = all.run();
  EXPECT_EQ(outcome.exit_code, 7);
  EXPECT_LT(all.seconds, 30); // nobody is left to wait for
}

// Rank 1 lost its peer, which takes longer to end.
TEST(Supervisor, OfSeveralSevensTheFirstToFailIsNamed) {
  const TempFolder folder;
  const std::string lost = (folder.path() / "lost").native();
  Trial trial(
      {{"beat 7", "failed", "write " + lost + " x", "sleep 0.3", "exit 7"},
       {"await " + lost, "beat 7", "failed", "exit 7"},
       {"await " + lost, "beat 7", "exit 7"}});
  trial.options.blame_seconds = 60; // all end: nobody is waited for that long
  const std::string report = expect_failure(trial, 0, 7).report;
  EXPECT_THAT(report, testing::StartsWith("rank 0 "));
  EXPECT_THAT(report, HasSubstr("Also rank 1 "));
  EXPECT_THAT(report, HasSubstr("Also rank 2 "));
}

TEST(Supervisor, ExitCodeZeroTooEarlyIsAFailure) {
  Trial trial({{"enter step", "hang"}, {"enter step", "beat 3", "exit 0"}});
  trial.options.grace_seconds = 0.05;
  EXPECT_THAT(
      expect_failure(trial, 1, 7).report,
      HasSubstr("ended with exit code 0 (done) in step 4, before its work was "
                "finished"));
}

TEST(Supervisor, StoppedWorkerIsEndedAfterFourSeconds) {
  Trial trial({{"beating 100"}, {"enter eval", "beat 8", "mark", "raise 19"}});
  EXPECT_THAT(
      expect_failure(trial, 1, 7).report,
      HasSubstr("was stopped by signal 19 (SIGSTOP) in evaluation after step 8 "
                "and not continued for 4 s"));
  EXPECT_GE(trial.seconds_since_mark(1), 3.9);
  EXPECT_LT(trial.seconds_since_mark(1), 5);
}

// A stop by a debugger does not count as silence, neither for the worker nor
// for the waiting ones. While rank 1 is stopped, for longer than a step may
// take, rank 0 waits.
TEST(Supervisor, AWorkerMayBeStoppedAsLongAsItsLimitSays) {
  const TempFolder folder;
  const std::string stopped = (folder.path() / "stopped").native();
  const std::string continued = (folder.path() / "continued").native();
  Trial trial(
      {{"await " + stopped,
        "enter step",
        "beat 3",
        "await " + continued,
        "beat 4",
        "done"},
       {"enter step",
        "beat 3",
        "mark",
        "raise 19",
        "sleep 1",
        "beat 4",
        "done"}});
  trial.options.timeouts.step = 2;
  trial.options.stopped_seconds = 100;
  std::thread continues([&] {
    // By its log: the pid is in no other place.
    pid_t worker = 0;
    for (int i = 0; i < 4000 && worker == 0; ++i) {
      ::usleep(5000);
      worker = trial.log(1).find("at ") == std::string::npos
          ? 0
          : child_with("RANK", "1");
    }
    for (int i = 0; i < 4000 && status_of(worker).state != 'T'; ++i) {
      ::usleep(5000);
    }
    std::ofstream(stopped) << "\n";
    ::usleep(3'000'000);
    std::ofstream(continued) << "\n";
    ::kill(worker, SIGCONT);
  });
  const SuperviseResult outcome = trial.run();
  continues.join();
  EXPECT_EQ(outcome.exit_code, 0) << outcome.report;
  EXPECT_GT(trial.seconds, 3.0);
}

TEST(Supervisor, SaysHowFarItGotAndWhatFailedInWordsThatRepeat) {
  const auto death = [] {
    Trial trial(
        {{"enter step", "beat 6", "hang"},
         {"enter step", "beat 5", "raise 9"}});
    return expect_failure(trial, 1, 7);
  };
  const SuperviseResult first = death();
  EXPECT_EQ(first.step, 6);
  EXPECT_EQ(first.failure, "was killed by signal 9 (SIGKILL) in step 6");
  EXPECT_EQ(death().failure, first.failure);
  EXPECT_FALSE(first.failed_in_setup);
}

TEST(Supervisor, SilentWorkerIsEndedByPhaseTimeout) {
  Trial trial(
      {{"enter step", "beat 5", "beat 6", "hang"},
       {"enter step", "beat 5", "hang"}});
  trial.options.timeouts.step = 0.5;
  trial.options.grace_seconds = 0.2;
  const SuperviseResult outcome = expect_failure(trial, 1, 7);
  EXPECT_THAT(outcome.report, HasSubstr("s in step 6 (limit 0.5 s)"));
  EXPECT_THAT(outcome.report, HasSubstr("  rank 0: in step 7, last sign"));
  EXPECT_THAT(outcome.report, HasSubstr("  rank 1: in step 6, last sign"));
}

// In its set-up, and in a step that it began first.
TEST(Supervisor, AWorkerThatWaitsForASilentOneIsNotNamed) {
  for (const char* phase : {"setup", "step"}) {
    const std::string enter = std::string("enter ") + phase;
    Trial trial(
        {{enter, "beat 5", "waits waits in all-reduce 3 (data)", "hang"},
         {"sleep 0.1",
          enter,
          "beat 5",
          "say last words",
          "doing reading /data/1.jpg",
          "hang"}});
    trial.options.timeouts.step = trial.options.timeouts.setup = 0.5;
    trial.options.grace_seconds = 0.2;
    const SuperviseResult outcome = expect_failure(trial, 1, 7);
    EXPECT_THAT(outcome.report, HasSubstr(" (reading /data/1.jpg) (limit 0.5"));
    EXPECT_THAT(
        outcome.report, HasSubstr("(waits in all-reduce 3 (data)), last"));
    EXPECT_THAT(outcome.failure, Not(HasSubstr("/data/1.jpg")));
    EXPECT_THAT(trial.log(1), HasSubstr("stack of thread "));
    EXPECT_THAT(trial.log(0), Not(HasSubstr("stack of thread ")));
    EXPECT_THAT(outcome.report, EndsWith("workerlog.1:\n  | last words\n"));
  }
}

// The peer has said earlier that it failed, and has ended earlier.
TEST(Supervisor, ASignalOutranksACollectiveThatFailed) {
  const TempFolder folder;
  const std::string lost = (folder.path() / "lost").native();
  Trial trial(
      {{"say error: all-reduce 3", "failed", "write " + lost + " x", "exit 7"},
       {"await " + lost, "say heap corrupted", "sleep 0.3", "raise 6"}});
  const SuperviseResult outcome = expect_failure(trial, 1, 7);
  EXPECT_THAT(outcome.report, HasSubstr("SIGABRT"));
  EXPECT_THAT(outcome.report, HasSubstr("  | heap corrupted\n"));
  EXPECT_THAT(outcome.report, HasSubstr("Also rank 0 "));
  EXPECT_THAT(outcome.report, HasSubstr("  | error: all-reduce 3\n"));
}

TEST(Supervisor, EveryPhaseHasItsOwnTimeout) {
  struct Case {
    const char* command;
    double PhaseTimeouts::*limit;
    const char* text;
  };
  for (const Case& one :
       {Case{"enter setup", &PhaseTimeouts::setup, "in set-up"},
        Case{"enter eval", &PhaseTimeouts::eval, "in evaluation"},
        Case{"enter checkpoint", &PhaseTimeouts::checkpoint, "in checkpoint"},
        Case{"done", &PhaseTimeouts::shutdown, "in shutdown"}}) {
    Trial trial({Script{one.command, "hang"}});
    trial.options.timeouts.*one.limit = 0.3;
    trial.options.grace_seconds = 0.05;
    EXPECT_THAT(expect_failure(trial, 0, 7).report, HasSubstr(one.text));
  }
}

TEST(Supervisor, WaitingForAWorkerThatIsAliveIsNotAHang) {
  // Rank 1 waits at step 4 while rank 0 writes a checkpoint, with beats.
  Trial trial(
      {{"enter checkpoint", "beat 4", "beating 3", "done"},
       {"enter step", "beat 4", "sleep 1", "done"}});
  trial.options.timeouts.step = 0.3;
  trial.options.timeouts.checkpoint = 2;
  EXPECT_EQ(trial.run().exit_code, 0) << trial.notices;
  // A worker that others have overtaken is stuck, even if its heartbeats
  // arrive.
  Trial stuck(
      {{"enter step", "beat 4", "beating 0.1", "beat 5", "beating 20"},
       {"enter step", "beat 4", "hang"}});
  stuck.options.timeouts.step = 0.3;
  stuck.options.grace_seconds = 0.05;
  expect_failure(stuck, 1, 7);
}

TEST(Supervisor, PeerThatEndsWith7IsNotNamed) {
  // The race of a killed worker and a peer that notices before the supervisor.
  for (int i = 0; i < 20; ++i) {
    const int victim = i % 2;
    std::vector<std::vector<std::string>> scripts(
        2, {"connect", "enter step", "lose_peer"});
    scripts[static_cast<std::size_t>(victim)] = {
        "connect", "enter step", "raise 9"};
    Trial trial(scripts);
    const SuperviseResult outcome = expect_failure(trial, victim, 7);
    EXPECT_THAT(outcome.report, HasSubstr("SIGKILL"));
  }
}

TEST(Supervisor, CauseThatComesAfterItsConsequenceIsNamed) {
  Trial trial(
      {{"exit 7"}, {"failed", "raise 6"}, {"sleep 0.5", "exit 3"}, {"hang"}});
  trial.options.blame_seconds = 20;
  const SuperviseResult outcome = expect_failure(trial, 2, 3);
  EXPECT_THAT(
      outcome.report,
      HasSubstr("cpu) ended with exit code 7 (a worker died) in set-up.\n"));
  EXPECT_THAT(outcome.report, HasSubstr("SIGABRT"));
}

TEST(Supervisor, LogsAreAppendedAndTheReportShowsThisRunOnly) {
  Trial trial({Script{"say of this run", "exit 3"}});
  std::filesystem::create_directories(trial.options.log_folder);
  std::ofstream(trial.options.log_folder / "workerlog.0") << "of last week\n";
  const SuperviseResult outcome = expect_failure(trial, 0, 3);
  EXPECT_THAT(outcome.report, HasSubstr("of this run"));
  EXPECT_THAT(outcome.report, Not(HasSubstr("of last week")));
  EXPECT_THAT(
      trial.log(0), StartsWith("of last week\nrank 0 of 1, cpu, started by"));
  EXPECT_THAT(trial.log(0), testing::EndsWith("\nof this run\n"));
  Trial silent({Script{"exit 3"}});
  EXPECT_THAT(
      expect_failure(silent, 0, 3).report, HasSubstr("It wrote nothing to"));
}

TEST(Supervisor, LogThatCannotBeWrittenStopsBeforeTheStart) {
  Trial trial({{"done"}, {"done"}});
  std::filesystem::create_directories(trial.options.log_folder / "workerlog.1");
  EXPECT_THAT(
      error_of(ExitCode::kStorage, [&] { trial.run(); }),
      HasSubstr("workerlog.1"));
  EXPECT_EQ(::waitpid(-1, nullptr, WNOHANG), -1) << "rank 0 is left";
}

TEST(Supervisor, ProgramThatIsNotThereIsAnError) {
  Trial trial({Script{"done"}});
  trial.options.executable = "/no/such/program";
  EXPECT_THROW(trial.run(), Error);
}

TEST(Supervisor, KillForLackOfMemoryIsExplained) {
  TempFolder root;
  const auto events = root.path() / "sys/fs/cgroup/job/memory.events";
  std::filesystem::create_directories(events.parent_path());
  std::filesystem::create_directories(root.path() / "proc/self");
  std::ofstream(root.path() / "proc/self/cgroup") << "0::/job\n";
  std::ofstream(events) << "oom_kill 4\n";
  Trial trial(
      {{"write " + events.native() + " oom_kill 5", "raise 9"}, {"hang"}});
  trial.options.system_root = root.path();
  trial.options.grace_seconds = 0.05;
  const SuperviseResult outcome = trial.run();
  EXPECT_EQ(outcome.exit_code, 7);
  EXPECT_THAT(
      outcome.report,
      HasSubstr("The kernel killed 1 process of this control group for lack of "
                "memory"));
  // Kills of before the run are not this run's.
  Trial later({Script{"raise 9"}});
  later.options.system_root = root.path();
  EXPECT_THAT(later.run().report, Not(HasSubstr("memory")));
}

TEST(Supervisor, IgnoredChildSignalDoesNotHideEndings) {
  struct sigaction ignore {};
  struct sigaction before {};
  ignore.sa_handler = SIG_IGN;
  ::sigaction(SIGCHLD, &ignore, &before);
  Trial trial({{"exit 3"}, {"hang"}});
  EXPECT_EQ(trial.run().exit_code, 3);
  struct sigaction now {};
  ::sigaction(SIGCHLD, &before, &now);
  EXPECT_EQ(now.sa_handler, SIG_IGN); // as it was
}

} // namespace
} // namespace vitrain::launch
