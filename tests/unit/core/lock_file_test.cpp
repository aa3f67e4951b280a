// A lock that two processes must not hold at once, whatever has become of those
// that held it before.

#include "core/files/lock_file.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <fstream>
#include <sstream>

#include "core/files/files.h"
#include "core/system/clock.h"
#include "core/text/json.h"
#include "support/files.h"

namespace vitrain {
namespace {

using ::testing::AllOf;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class LockFileTest : public testing::Test {
 protected:
  // What is against taking the lock; "" where it could be had.
  std::string refusal() const {
    try {
      const LockFile lock(lock_);
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
      new LockFile(lock_);
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

  TempFolder temp_;
  const std::filesystem::path folder_ = temp_.path();
  const std::filesystem::path lock_ = folder_ / "run.lock";
};

TEST_F(LockFileTest, NamesItsHolderAndIsReleased) {
  {
    const LockFile held(lock_);
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
    const LockFile held(lock_);
    ASSERT_TRUE(held.taken_over().has_value());
    EXPECT_EQ(held.taken_over()->pid, dead);
    EXPECT_EQ(content().at("pid"), ::getpid());
    EXPECT_THAT(names(), ElementsAre("run.lock"));
  }
  EXPECT_THAT(names(), IsEmpty());
}

// Not so much as reaped: nobody has asked for its exit status.
TEST_F(LockFileTest, IsTakenOverFromAZombie) {
  const pid_t pid = ::fork();
  if (pid == 0) {
    new LockFile(lock_);
    ::_exit(0);
  }
  siginfo_t info{};
  ASSERT_EQ(
      ::waitid(P_PID, static_cast<id_t>(pid), &info, WEXITED | WNOWAIT), 0);
  EXPECT_EQ(refusal(), "");
  ::waitpid(pid, nullptr, 0);
}

TEST_F(LockFileTest, IsNotTakenFromWhomCannotBeSeenOrRuns) {
  leave_lock();
  const Json left = content();
  const auto refusal_with = [&](const char* key, const Json& value) {
    Json other = left;
    other[key] = value;
    std::ofstream(lock_) << other;
    return refusal();
  };
  EXPECT_THAT(
      refusal_with("host", "elsewhere"), HasSubstr("on host elsewhere since"));
  EXPECT_THAT(refusal_with("machine", "another"), HasSubstr("in use"));
  EXPECT_THAT(refusal_with("pid_space", "pid:[1]"), HasSubstr("in use"));
  EXPECT_THAT(refusal_with("host", "\x1b[31m"), HasSubstr("host \\x1b[31m"));
  // The same pid and another start: it was used again.
  Json reused = left;
  reused["pid"] = ::getpid();
  reused["start"] = this_process().start - 1;
  std::ofstream(lock_) << reused;
  EXPECT_EQ(refusal(), "");
  std::ofstream(lock_) << left;
  EXPECT_EQ(refusal(), "");
  // The machine has been booted since, whoever has the pid now.
  Json booted = left;
  booted["boot"] = "12345678-0000-0000-0000-000000000000";
  booted["pid"] = ::getpid();
  std::ofstream(lock_) << booted;
  EXPECT_EQ(refusal(), "");
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
  const LockFile held(lock_);
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
    new LockFile(lock);
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
  // What was half written stays for an hour.
  EXPECT_THAT(names(), Each(HasSubstr(".new-")));
}

} // namespace
} // namespace vitrain
