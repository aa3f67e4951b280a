#include "launch/foreign/launch_parents.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "launch/processes/heartbeat.h"
#include "launch/processes/process.h"

namespace vitrain::launch {
namespace {

TEST(LaunchParents, TravelAsText) {
  const std::vector<LaunchParent> two = launch_parents_from("12-3456,13-0");
  ASSERT_EQ(two.size(), 2U);
  EXPECT_EQ(two[0].pid, 12);
  EXPECT_EQ(two[0].start_time, 3456U);
  EXPECT_EQ(to_text(two), "12-3456,13-0");
  for (const char* none : {"", "12", "x-1", "1-5", "0-5", "-3-5", "12-x"}) {
    EXPECT_TRUE(launch_parents_from(none).empty()) << none;
  }
}

TEST(LaunchParents, BeginWithTheParentAndEndWithWhoHasNoRank) {
  const std::vector<LaunchParent> parents =
      find_launch_parents("NO_PROCESS_HAS_THIS");
  ASSERT_FALSE(parents.empty());
  EXPECT_EQ(parents.front().pid, ::getppid());
  EXPECT_NE(parents.front().start_time, 0U);
  // One variable that all of them have: up to the first process of all.
  EXPECT_GE(find_launch_parents("PATH").size(), parents.size());
}

TEST(LaunchParents, TheLauncherIsTheFirstAncestorWithoutARank) {
  EXPECT_EQ(find_launcher_process("NO_SUCH_VARIABLE").process.pid, ::getppid());
  const LauncherProcess launcher = find_launcher_process("NO_SUCH_VARIABLE");
  EXPECT_GT(launcher.process.start_time, 0u);
}

// A process that is being watched for by another, which is killed.
TEST(LaunchParentWatch, EndsTheProcessWithOneOfThem) {
  const pid_t parent = ::fork();
  if (parent == 0) {
    ::pause();
    ::_exit(0);
  }
  const LaunchParent watched{
      .pid = parent, .start_time = status_of(parent).start_time};
  const pid_t worker = ::fork();
  if (worker == 0) {
    const LaunchParentWatch watch({watched}, "rank 3");
    ::pause();
    ::_exit(0);
  }
  ::usleep(300'000);
  EXPECT_EQ(::waitpid(worker, nullptr, WNOHANG), 0) << "ended too early";
  const double start = monotonic_seconds();
  ::kill(parent, SIGKILL); // and stays a zombie
  int status = 0;
  EXPECT_EQ(::waitpid(worker, &status, 0), worker);
  EXPECT_LT(monotonic_seconds() - start, 2);
  EXPECT_EQ(WEXITSTATUS(status), 7);
  ::waitpid(parent, nullptr, 0);
  // A parent that ended before, or whose pid another process has now.
  for (const LaunchParent& gone :
       {watched,
        LaunchParent{
            .pid = ::getpid(), .start_time = watched.start_time + 1}}) {
    const pid_t late = ::fork();
    if (late == 0) {
      const LaunchParentWatch watch({gone}, "rank 3");
      ::pause();
      ::_exit(0);
    }
    EXPECT_EQ(::waitpid(late, &status, 0), late);
    EXPECT_EQ(WEXITSTATUS(status), 7);
  }
}

TEST(LaunchParentWatch, IsOverWithItsObject) {
  const LaunchParentWatch nobody({}, "rank 0");
  const LaunchParentWatch own_parent(
      {{.pid = ::getppid(), .start_time = status_of(::getppid()).start_time}},
      "rank 0");
}

} // namespace
} // namespace vitrain::launch
