// Two processes must never hold the lock at once, even if an earlier holder
// crashed, froze or vanished.

#include "core/system/lock_file.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sched.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <fstream>
#include <functional>
#include <thread>
#include <utility>

#include <fmt/format.h>

#include "core/json.h"
#include "core/system/clock.h"
#include "core/system/files.h"
#include "support/files.h"
#include "support/variables.h"

namespace vitrain {
namespace {

// Called once, by the next fsync() of this process.
std::function<void()> on_sync;

} // namespace
} // namespace vitrain

// In place of the C library's: it lets a test act while a lock is being taken.
extern "C" int fsync(int fd) {
  if (const auto act = std::exchange(vitrain::on_sync, nullptr)) {
    act();
  }
  return static_cast<int>(::syscall(SYS_fsync, fd));
}

namespace vitrain {
namespace {

using ::testing::AllOf;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

// Times of a test in seconds, in the same proportions as the program's.
constexpr LockTimes kShort{
    .refresh = 0.05,
    .settle = 0.1,
    .reboot = 0.6,
    .silence = 1.5};

class LockFileTest : public testing::Test {
 protected:
  // Returns the reason why the lock cannot be taken; "" if it was taken.
  std::string refusal(bool take_over = false) {
    waited_.clear();
    const Stopwatch watch;
    try {
      const LockFile lock(
          lock_,
          {.take_over = take_over,
           .notice = [this](const std::string& line) { waited_ = line; },
           .times = kShort});
      seconds_ = watch.seconds();
      reason_ = lock.taken_over() ? lock.reason() : "";
      return "";
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ExitCode::kUsage);
      return error.what();
    }
  }

  Json content() const {
    return Json::parse(read_file(lock_, 1 << 20, ExitCode::kStorage));
  }

  // A lock that a process took which ended without release.
  pid_t leave_lock() const {
    const pid_t pid = ::fork();
    if (pid == 0) {
      new LockFile(lock_, {.times = kShort});
      ::_exit(0);
    }
    ::waitpid(pid, nullptr, 0);
    return pid;
  }

  std::vector<std::string> names() const {
    std::vector<std::string> all;
    for (const auto& entry : std::filesystem::directory_iterator(folder_)) {
      all.push_back(entry.path().filename());
    }
    return all;
  }

  // Returns the lock of a process on another host.
  Json foreign_lock() const {
    leave_lock();
    Json lock = content();
    lock["host"] = "elsewhere";
    lock["boot"] = "12345678-0000-0000-0000-000000000000";
    return lock;
  }

  void write(const Json& lock) const { std::ofstream(lock_) << lock; }

  // A child process that holds the lock until it has lost it, and then ends
  // with exit status 3. Returns once the child has the lock.
  pid_t start_holder() const {
    int ready[2];
    EXPECT_EQ(::pipe(ready), 0);
    const pid_t pid = ::fork();
    if (pid == 0) {
      LockFile held(lock_, {.times = kShort});
      ::close(ready[0]);
      ::close(ready[1]);
      const Stopwatch watch;
      while (watch.seconds() < 60.0) {
        try {
          held.check();
        } catch (const Error& error) {
          ::_exit(error.code() == ExitCode::kStorage ? 3 : 4);
        }
        ::usleep(1000);
      }
      ::_exit(5);
    }
    // The child closes the last copy of the writing end.
    ::close(ready[1]);
    char none = 0;
    EXPECT_EQ(::read(ready[0], &none, 1), 0);
    ::close(ready[0]);
    return pid;
  }

  // Stops a child process, and waits until it is.
  static void stop(pid_t pid) {
    ::kill(pid, SIGSTOP);
    ::waitpid(pid, nullptr, WUNTRACED);
  }

  static int exit_status(pid_t pid) {
    int status = 0;
    ::waitpid(pid, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  }

  TempFolder temp_;
  std::string waited_; // what refusal() waited for
  std::string reason_; // why it got the lock
  double seconds_ = 0.0; // after so long
  const std::filesystem::path folder_ = temp_.path();
  const std::filesystem::path lock_ = folder_ / "run.lock";
};

TEST_F(LockFileTest, NamesItsHolderAndIsReleased) {
  {
    const LockFile held(lock_, {.times = kShort});
    EXPECT_FALSE(held.taken_over().has_value());
    EXPECT_THAT(names(), ElementsAre("run.lock"));
    EXPECT_THAT(
        refusal(),
        AllOf(
            HasSubstr(folder_.native() + " is in use"),
            HasSubstr("pid " + std::to_string(::getpid()) + " on host "),
            HasSubstr(lock_.native())));
  }
  EXPECT_THAT(names(), IsEmpty());
  EXPECT_EQ(refusal(), "");
}

TEST_F(LockFileTest, IsTakenOverFromAProcessThatHasEnded) {
  const pid_t dead = leave_lock();
  {
    const LockFile held(lock_, {.times = kShort});
    ASSERT_TRUE(held.taken_over().has_value());
    EXPECT_EQ(held.taken_over()->pid, dead);
    EXPECT_EQ(content().at("pid"), ::getpid());
    EXPECT_THAT(names(), ElementsAre("run.lock"));
  }
  EXPECT_THAT(names(), IsEmpty());
}

// A zombie: its parent has not read its exit status.
TEST_F(LockFileTest, IsTakenOverFromAZombie) {
  const pid_t pid = ::fork();
  if (pid == 0) {
    new LockFile(lock_, {.times = kShort});
    ::_exit(0);
  }
  siginfo_t info{};
  ASSERT_EQ(
      ::waitid(P_PID, static_cast<id_t>(pid), &info, WEXITED | WNOWAIT), 0);
  EXPECT_EQ(refusal(), "");
  ::waitpid(pid, nullptr, 0);
}

// The kernel's lock says whether the holder runs, whatever its host is called
// and whichever pids it sees: another container of this machine.
TEST_F(LockFileTest, TheKernelKnowsHoldersOfOtherContainers) {
  leave_lock();
  Json lock = content();
  lock["host"] = "container";
  lock["pid_space"] = "pid:[1]";
  lock["pid"] = 1;
  write(lock);
  EXPECT_EQ(refusal(), "");
  EXPECT_EQ(waited_, "");
  const pid_t holder = start_holder();
  lock["nonce"] = content().at("nonce");
  // Until the holder has renewed its time in the new content. It may have read
  // the former content before, and write that once more.
  const Stopwatch watch;
  Json seen;
  do {
    write(lock);
    ::usleep(200'000);
    seen = Json::parse(slurp(lock_), nullptr, /*allow_exceptions=*/false);
  } while (watch.seconds() < 30.0 &&
           (seen.is_discarded() || seen.at("pid") != 1 ||
            seen.at("time") == lock["time"]));
  EXPECT_THAT(refusal(), HasSubstr("pid 1 on host container"));
  ::kill(holder, SIGKILL);
  exit_status(holder);
  EXPECT_EQ(refusal(), "");
}

// A real pid namespace, in which the holder's pid is 1.
TEST_F(LockFileTest, IsTakenFromAProcessOfAnotherPidSpaceThatHasEnded) {
  const TempFolder folder;
  const pid_t outer = ::fork();
  if (outer == 0) {
    if (::unshare(CLONE_NEWUSER | CLONE_NEWPID) != 0) {
      ::_exit(77);
    }
    const pid_t inner = start_holder();
    folder.write("inner", std::to_string(inner));
    ::_exit(exit_status(inner) == -1 ? 0 : 1);
  }
  const Stopwatch watch;
  while (slurp(folder / "inner").empty() && watch.seconds() < 10.0) {
    int status = 0;
    if (::waitpid(outer, &status, WNOHANG) == outer) {
      GTEST_SKIP() << "no pid namespaces here";
    }
    ::usleep(1000);
  }
  ASSERT_NE(content().at("pid_space"), this_process().pid_space);
  EXPECT_THAT(refusal(), HasSubstr("is in use"));
  ::kill(std::stoi(slurp(folder / "inner")), SIGKILL);
  EXPECT_EQ(exit_status(outer), 0);
  EXPECT_EQ(refusal(), "");
  EXPECT_EQ(waited_, "");
}

// Pids are looked at if the file system has no kernel locks.
TEST_F(LockFileTest, PidsTellIfTheKernelHasNoLock) {
  leave_lock();
  Json left = content();
  left["device"] = 0;
  const auto refusal_with = [&](const char* key, const Json& value) {
    Json other = left;
    other[key] = value;
    write(other);
    return refusal();
  };
  EXPECT_EQ(refusal_with("device", 0), "");
  EXPECT_EQ(reason_, "which has ended");
  EXPECT_EQ(waited_, "");
  // The pid is equal but the start time differs: the pid was reused.
  Json reused = left;
  reused["pid"] = ::getpid();
  reused["start"] = this_process().start - 1;
  write(reused);
  EXPECT_EQ(refusal(), "");
  EXPECT_EQ(waited_, "");
  // A process that runs.
  reused["start"] = this_process().start;
  write(reused);
  EXPECT_THAT(refusal(), HasSubstr("is in use"));
  // Pids of another container mean nothing here.
  EXPECT_EQ(refusal_with("pid_space", "pid:[1]"), "");
  EXPECT_THAT(waited_, HasSubstr("pid "));
  EXPECT_GE(seconds_, kShort.silence);
}

TEST_F(LockFileTest, IsTakenFromAnotherHostAfterSilence) {
  write(foreign_lock());
  EXPECT_EQ(refusal(), "");
  EXPECT_GE(seconds_, kShort.silence);
  EXPECT_THAT(
      waited_,
      AllOf(
          HasSubstr(lock_.native()),
          HasSubstr("on host elsewhere since"),
          HasSubstr("at most 1.5 s"),
          HasSubstr("-take_over")));
  EXPECT_EQ(reason_, "which gave no sign of life for 1.5 s");
}

// Clocks do not matter: the other host's is years late or early.
TEST_F(LockFileTest, IsNotTakenFromAnotherHostThatIsAlive) {
  for (const int year : {1999, 2199}) {
    Json lock = foreign_lock();
    lock["time"] = fmt::format("{}-01-01 00:00:00.0999 UTC", year);
    write(lock);
    std::atomic<bool> ended = false;
    std::thread holder([&] {
      for (int turn = 1000; !ended; ++turn) {
        lock["time"] = fmt::format("{}-01-01 00:00:00.{:04} UTC", year, turn);
        const std::string text = lock.dump();
        const int fd = ::open(lock_.c_str(), O_WRONLY);
        ASSERT_EQ(::pwrite(fd, text.data(), text.size(), 0), ssize(text));
        ::close(fd);
        ::usleep(200'000);
      }
    });
    EXPECT_THAT(
        refusal(),
        AllOf(
            HasSubstr("is in use"),
            HasSubstr("on host elsewhere"),
            HasSubstr("last sign of life " + std::to_string(year)),
            HasSubstr("-take_over")));
    ended = true;
    holder.join();
    std::filesystem::remove(lock_);
  }
}

// For example after SIGCONT.
TEST_F(LockFileTest, IsNotTakenFromAHolderThatContinuesInTheLastMoment) {
  Json lock = foreign_lock();
  write(lock);
  lock["time"] = sign_of_life();
  on_sync = [&] { write(lock); };
  EXPECT_EQ(refusal(), "");
  EXPECT_FALSE(on_sync);
  EXPECT_GE(seconds_, 2.0 * kShort.silence);
}

TEST_F(LockFileTest, IsTakenAtOnceByAProcessOfTheSameJob) {
  Json lock = foreign_lock();
  for (const char* name : {"SLURM_JOB_ID", "POD_NAME", "JOB_NAME"}) {
    lock["jobs"] = {{name, "12"}};
    write(lock);
    const ScopedVariable job(name, "12");
    EXPECT_EQ(refusal(), "") << name;
    EXPECT_EQ(waited_, "") << name;
    EXPECT_LT(seconds_, kShort.silence) << name;
    EXPECT_EQ(reason_, "which may be alive: it stops before it writes again");
  }
  const ScopedVariable other("JOB_NAME", "13");
  write(lock);
  EXPECT_EQ(refusal(), "");
  EXPECT_GE(seconds_, kShort.silence);
}

// A requeued job, of which the process before still runs on another host: that
// process looks at the lock before each write.
TEST_F(LockFileTest, AHolderOfTheSameJobNoticesBeforeItWrites) {
  const ScopedVariable job("SLURM_JOB_ID", "12");
  LockFile held(lock_, {.times = {.refresh = 60.0}}); // the thread never looks
  held.check();
  Json lock = content();
  lock["host"] = "elsewhere";
  lock["boot"] = "12345678-0000-0000-0000-000000000000";
  write(lock);
  const LockFile next(lock_, {.times = kShort});
  EXPECT_EQ(next.taken_over()->nonce, held.nonce());
  EXPECT_THROW(held.check(), Error);
  EXPECT_TRUE(held.is_lost());
}

// A holder that completes its last write is waited for.
TEST_F(LockFileTest, AHolderThatMayBeAliveGetsTimeForItsLastWrite) {
  const ScopedVariable job("SLURM_JOB_ID", "12");
  write(foreign_lock());
  const Stopwatch watch;
  const LockFile next(
      lock_, {.times = {.refresh = 0.05, .settle = 1.0, .silence = 60.0}});
  EXPECT_GE(watch.seconds(), 1.0);
  EXPECT_LT(watch.seconds(), 30.0);
}

// Two commands in one allocation: the kernel's lock shows that the first runs.
TEST_F(LockFileTest, AHolderOfTheSameJobThatRunsHereKeepsIt) {
  const ScopedVariable job("SLURM_JOB_ID", "12");
  const pid_t holder = start_holder();
  ASSERT_EQ(content().at("jobs").at("SLURM_JOB_ID"), "12");
  EXPECT_THAT(refusal(), HasSubstr("is in use"));
  stop(holder);
  EXPECT_EQ(refusal(), "");
  EXPECT_GE(seconds_, kShort.silence);
  ::kill(holder, SIGKILL);
  exit_status(holder);
}

// The process that claimed the lock first is alive.
TEST_F(LockFileTest, OfTwoProcessesOfTheSameJobTheFirstKeepsIt) {
  const ScopedVariable job("SLURM_JOB_ID", "12");
  Json lock = foreign_lock();
  write(lock);
  lock["nonce"] = "another";
  on_sync = [&] { write(lock); };
  EXPECT_EQ(refusal(), "");
  EXPECT_THAT(waited_, HasSubstr("on host elsewhere"));
  EXPECT_GE(seconds_, kShort.silence);
}

// Grid Engine's JOB_NAME is the name of the script.
TEST_F(LockFileTest, TheNameOfAJobCountsIfItHasNoId) {
  const ScopedVariable name("JOB_NAME", "train.sh");
  EXPECT_EQ(this_process().jobs.at("JOB_NAME"), "train.sh");
  const ScopedVariable id("JOB_ID", "7");
  EXPECT_EQ(this_process().jobs.at("JOB_ID"), "7");
  EXPECT_FALSE(this_process().jobs.contains("JOB_NAME"));
}

// Tasks of an array have the id of their job, and builds the name of theirs.
TEST_F(LockFileTest, TasksOfAJobAreNotTheSameJob) {
  const ScopedVariable id("JOB_ID", "7");
  const ScopedVariable task("SGE_TASK_ID", "2");
  EXPECT_EQ(this_process().jobs.at("JOB_ID"), "7.2");
  const ScopedVariable array("LSB_JOBID", "8");
  const ScopedVariable index("LSB_JOBINDEX", "3");
  EXPECT_EQ(this_process().jobs.at("LSB_JOBID"), "8.3");
}

TEST_F(LockFileTest, APodIsTheSuccessorOfThatOfItsName) {
  const ScopedVariable cluster("KUBERNETES_SERVICE_HOST", "10.0.0.1");
  Json lock = foreign_lock();
  lock["host"] = this_process().host;
  lock["machine"] = "another";
  write(lock);
  EXPECT_EQ(refusal(), "");
  EXPECT_EQ(waited_, "");
}

// The same host name after a boot; it may be another machine, so its heartbeats
// count.
TEST_F(LockFileTest, IsTakenAfterTheHostWasBooted) {
  Json lock = foreign_lock();
  lock["host"] = this_process().host;
  lock["pid"] = ::getpid();
  write(lock);
  EXPECT_EQ(refusal(), "");
  EXPECT_GE(seconds_, kShort.reboot);
  EXPECT_LT(seconds_, kShort.silence);
}

TEST_F(LockFileTest, TakeOverDoesNotWaitForSilence) {
  write(foreign_lock());
  EXPECT_EQ(refusal(/*take_over=*/true), "");
  EXPECT_EQ(waited_, "");
  EXPECT_LT(seconds_, kShort.silence);
}

// Files of older versions have no signs of life.
TEST_F(LockFileTest, OlderLocksAreTakenByOptionOnly) {
  Json lock = foreign_lock();
  for (const char* key : {"jobs", "device", "time"}) {
    lock.erase(key);
  }
  write(lock);
  EXPECT_THAT(refusal(), HasSubstr("-take_over"));
  EXPECT_EQ(refusal(/*take_over=*/true), "");
}

TEST_F(LockFileTest, AHolderThatWasStoppedNoticesBeforeItWrites) {
  const pid_t holder = start_holder();
  EXPECT_THAT(refusal(), HasSubstr("is in use"));
  stop(holder);
  EXPECT_EQ(refusal(), "");
  EXPECT_GE(seconds_, kShort.silence);
  EXPECT_THAT(waited_, HasSubstr(fmt::format("pid {} ", holder)));
  {
    const LockFile next(lock_, {.times = kShort});
    ::kill(holder, SIGCONT);
    EXPECT_EQ(exit_status(holder), 3);
    EXPECT_EQ(content().at("pid"), ::getpid());
  }
  EXPECT_THAT(names(), IsEmpty());
}

TEST_F(LockFileTest, AHolderThatIsAliveLosesItByOptionOnly) {
  const pid_t holder = start_holder();
  const LockFile next(
      lock_, {.take_over = true, .times = {.refresh = 0.05, .settle = 30.0}});
  // It has ended before this one writes.
  EXPECT_EQ(next.reason(), "which was alive: it stops before it writes again");
  EXPECT_EQ(::waitpid(holder, nullptr, WNOHANG), holder);
  EXPECT_EQ(next.taken_over()->pid, holder);
  EXPECT_EQ(content().at("pid"), ::getpid());
}

// The worker that writes has a lease of its own, and keeps the lock while the
// process that took it is stopped.
TEST_F(LockFileTest, ALeaseKeepsTheLockForAnotherProcess) {
  const pid_t holder = start_holder();
  LockLease lease(lock_, content().at("nonce"), kShort);
  stop(holder);
  EXPECT_THAT(refusal(), HasSubstr("is in use"));
  EXPECT_FALSE(lease.is_lost());
  ::kill(holder, SIGKILL);
  exit_status(holder);
}

TEST_F(LockFileTest, AFileThatWasRemovedIsMadeAgain) {
  LockFile held(lock_, {.times = kShort});
  std::filesystem::remove(lock_);
  const Stopwatch watch;
  while (!std::filesystem::exists(lock_) && watch.seconds() < 30.0) {
    ::usleep(1000);
  }
  held.check();
  EXPECT_THAT(refusal(), HasSubstr("is in use"));
}

// If the file is removed, another process can take the lock.
TEST_F(LockFileTest, AFileThatWasRemovedMayBeAnothersNow) {
  LockFile held(lock_, {.times = {.refresh = 60.0}});
  std::filesystem::remove(lock_);
  const LockFile next(lock_, {.times = kShort});
  EXPECT_TRUE(held.is_lost());
  EXPECT_THROW(held.check(), Error);
}

TEST_F(LockFileTest, RefusesWhatIsNoLock) {
  for (const char* text : {"", "12", "[]", "{\"pid\": 1}", "{\"host\": 3}"}) {
    std::ofstream(lock_) << text;
    EXPECT_THAT(refusal(), HasSubstr("is none")) << text;
  }
}

TEST_F(LockFileTest, AFolderThatCannotBeWrittenIsAStorageError) {
  try {
    const LockFile lock(folder_ / "absent" / "run.lock");
    FAIL() << "taken";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::kStorage);
  }
}

TEST_F(LockFileTest, StaysWithItsProcess) {
  const LockFile held(lock_, {.times = kShort});
  const pid_t child = ::fork();
  if (child == 0) {
    held.~LockFile();
    ::_exit(0);
  }
  ::waitpid(child, nullptr, 0);
  EXPECT_EQ(content().at("pid"), ::getpid());
}

// Stays in the lock for a moment and ends without release. Returns the exit
// status: 0 held it alone, 1 not alone, 2 was refused.
int hold_for_a_moment(
    const std::filesystem::path& lock,
    const std::filesystem::path& inside) {
  try {
    new LockFile(lock, {.times = kShort});
  } catch (const Error&) {
    return 2;
  }
  const int fd = ::open(inside.c_str(), O_CREAT | O_EXCL | O_WRONLY, 0600);
  if (fd < 0) {
    return 1;
  }
  ::usleep(200);
  ::unlink(inside.c_str());
  return 0;
}

// Every holder here ends without release, and eight processes want to be the
// next: taking over is what happens all the time.
TEST_F(LockFileTest, OfManyTakersOneWins) {
  constexpr int kProcesses = 8;
  constexpr double kSeconds = 1.5;
  constexpr int kTurns = 3; // of each, also where a busy machine takes longer
  constexpr double kLongest = 30.0;
  const auto inside = folder_ / "inside";
  std::vector<pid_t> runners;
  for (int i = 0; i < kProcesses; ++i) {
    const pid_t runner = ::fork();
    if (runner != 0) {
      runners.push_back(runner);
      continue;
    }
    int held = 0;
    const Stopwatch watch;
    while (watch.seconds() < (held < kTurns ? kLongest : kSeconds)) {
      const pid_t child = ::fork();
      if (child == 0) {
        ::_exit(hold_for_a_moment(lock_, inside));
      }
      int status = 0;
      ::waitpid(child, &status, 0);
      if (WIFEXITED(status) && WEXITSTATUS(status) == 1) {
        ::_exit(255);
      }
      held += WIFEXITED(status) && WEXITSTATUS(status) == 0 ? 1 : 0;
    }
    ::_exit(std::min(held, 200));
  }
  int held = 0;
  for (const pid_t runner : runners) {
    int status = 0;
    ::waitpid(runner, &status, 0);
    ASSERT_TRUE(WIFEXITED(status));
    EXPECT_NE(WEXITSTATUS(status), 255) << "two at once";
    held += WEXITSTATUS(status);
  }
  EXPECT_GT(held, 20);
}

// A taker that is killed anywhere leaves a lock that the next one can have.
TEST_F(LockFileTest, TakersMayBeKilledAtAnyTime) {
  leave_lock();
  const auto inside = folder_ / "inside";
  const Stopwatch watch;
  for (int delay = 0; delay < 3000 && watch.seconds() < 2.0; delay += 37) {
    const pid_t taker = ::fork();
    if (taker == 0) {
      ::_exit(hold_for_a_moment(lock_, inside));
    }
    ::usleep(static_cast<useconds_t>(delay));
    ::kill(taker, SIGKILL);
    ::waitpid(taker, nullptr, 0);
    ::unlink(inside.c_str());
    if (delay % 5 == 0) {
      ASSERT_EQ(refusal(), "") << delay;
      leave_lock();
    }
  }
  EXPECT_EQ(refusal(), "");
  // Half-written files stay for an hour.
  EXPECT_THAT(names(), Each(HasSubstr(".new-")));
}

} // namespace
} // namespace vitrain
