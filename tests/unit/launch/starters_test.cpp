#include "launch/foreign/starters.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "launch/processes/process.h"
#include "launch/supervise/heartbeat.h"

namespace vitrain::launch {
namespace {

TEST(Starters, TravelAsText) {
  const std::vector<Starter> two = starters_from("12-3456,13-0");
  ASSERT_EQ(two.size(), 2U);
  EXPECT_EQ(two[0].pid, 12);
  EXPECT_EQ(two[0].start_time, 3456U);
  EXPECT_EQ(to_text(two), "12-3456,13-0");
  for (const char* none : {"", "12", "x-1", "1-5", "0-5", "-3-5", "12-x"}) {
    EXPECT_TRUE(starters_from(none).empty()) << none;
  }
}

TEST(Starters, BeginWithTheParentAndEndWithWhoHasNoRank) {
  const std::vector<Starter> starters = find_starters("NO_PROCESS_HAS_THIS");
  ASSERT_FALSE(starters.empty());
  EXPECT_EQ(starters.front().pid, ::getppid());
  EXPECT_NE(starters.front().start_time, 0U);
  // One variable that all of them have: up to the first process of all.
  EXPECT_GE(find_starters("PATH").size(), starters.size());
}

// A process that is being watched for by another, which is killed.
TEST(StarterWatch, EndsTheProcessWithOneOfThem) {
  const pid_t starter = ::fork();
  if (starter == 0) {
    ::pause();
    ::_exit(0);
  }
  const Starter watched{
      .pid = starter, .start_time = status_of(starter).start_time};
  const pid_t worker = ::fork();
  if (worker == 0) {
    const StarterWatch watch({watched}, "rank 3");
    ::pause();
    ::_exit(0);
  }
  ::usleep(300'000);
  EXPECT_EQ(::waitpid(worker, nullptr, WNOHANG), 0) << "ended too early";
  const double start = monotonic_seconds();
  ::kill(starter, SIGKILL); // and stays a zombie
  int status = 0;
  EXPECT_EQ(::waitpid(worker, &status, 0), worker);
  EXPECT_LT(monotonic_seconds() - start, 2);
  EXPECT_EQ(WEXITSTATUS(status), 7);
  ::waitpid(starter, nullptr, 0);
  // And one that was gone before, or whose number another process has now.
  for (const Starter& gone :
       {watched,
        Starter{.pid = ::getpid(), .start_time = watched.start_time + 1}}) {
    const pid_t late = ::fork();
    if (late == 0) {
      const StarterWatch watch({gone}, "rank 3");
      ::pause();
      ::_exit(0);
    }
    EXPECT_EQ(::waitpid(late, &status, 0), late);
    EXPECT_EQ(WEXITSTATUS(status), 7);
  }
}

TEST(StarterWatch, IsOverWithItsObject) {
  const StarterWatch nobody({}, "rank 0");
  const StarterWatch parent(
      {{.pid = ::getppid(), .start_time = status_of(::getppid()).start_time}},
      "rank 0");
}

} // namespace
} // namespace vitrain::launch
