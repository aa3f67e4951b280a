#include "launch/supervise/stall.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace vitrain::launch {
namespace {

// The rank of the worker that is blamed, or -1.
int stuck(const std::vector<HeartbeatAge>& workers) {
  const std::optional<HeartbeatAge> found = find_stalled(workers);
  return found ? found->rank : -1;
}

TEST(HeartbeatAge, NobodyIsStuckWithinTheLimit) {
  EXPECT_EQ(stuck({}), -1);
  EXPECT_EQ(stuck({{.rank = 0, .step = 3, .seconds = 10, .limit = 10}}), -1);
  EXPECT_EQ(stuck({{.rank = 0, .step = 3, .seconds = 10.1, .limit = 10}}), 0);
}

TEST(HeartbeatAge, WithoutALimitAWorkerIsNeverStuck) {
  EXPECT_EQ(stuck({{.rank = 0, .step = 3, .seconds = 1e9, .limit = 0}}), -1);
}

TEST(HeartbeatAge, TheOneFurthestBehindIsBlamed) {
  EXPECT_EQ(
      stuck(
          {{.rank = 0, .step = 8, .seconds = 30, .limit = 10},
           {.rank = 1, .step = 7, .seconds = 20, .limit = 10},
           {.rank = 2, .step = 8, .seconds = 40, .limit = 10}}),
      1);
}

TEST(HeartbeatAge, OfEquallyFarTheOneSilentForLongestIsBlamed) {
  EXPECT_EQ(
      stuck(
          {{.rank = 0, .step = 7, .seconds = 20, .limit = 10},
           {.rank = 1, .step = 7, .seconds = 21, .limit = 10},
           {.rank = 2, .step = 7, .seconds = 20, .limit = 10}}),
      1);
}

TEST(HeartbeatAge, WhoMayBeWaitingForASlowOneIsNotBlamed) {
  // Rank 0 writes a checkpoint, for which it has more time.
  const HeartbeatAge writes{.rank = 0, .step = 7, .seconds = 50, .limit = 600};
  const HeartbeatAge waits{.rank = 1, .step = 7, .seconds = 50, .limit = 10};
  EXPECT_EQ(stuck({writes, waits}), -1);
  // A worker at an earlier step cannot be waiting for one at a later step.
  const HeartbeatAge behind{.rank = 2, .step = 6, .seconds = 50, .limit = 10};
  EXPECT_EQ(stuck({writes, waits, behind}), 2);
  // Rank 0, too, has been at it for too long.
  EXPECT_EQ(
      stuck({{.rank = 0, .step = 7, .seconds = 601, .limit = 600}, waits}), 0);
}

TEST(HeartbeatAge, WhoWaitsIsBlamedOnlyIfAllDo) {
  const HeartbeatAge loads{.rank = 1, .step = 7, .seconds = 20, .limit = 10};
  HeartbeatAge waits{.rank = 0, .step = 7, .seconds = 30, .limit = 10};
  waits.waits = true;
  EXPECT_EQ(stuck({waits, loads}), 1);
  EXPECT_EQ(stuck({loads, waits}), 1);
  EXPECT_EQ(stuck({waits}), 0);
}

TEST(HeartbeatAge, OfTheOthersTheOneWithFewestCollectivesIsBlamed) {
  const auto worker = [](int rank, std::int64_t collectives, double seconds) {
    HeartbeatAge age{.rank = rank, .step = 7, .seconds = seconds, .limit = 10};
    age.collectives = collectives;
    return age;
  };
  EXPECT_EQ(
      stuck({worker(0, 12, 30), worker(1, 11, 20), worker(2, 12, 40)}), 1);
}

TEST(HeartbeatAge, LimitsFollowThePhase) {
  const PhaseTimeouts timeouts{
      .setup = 1, .step = 2, .eval = 3, .checkpoint = 4, .shutdown = 5};
  EXPECT_EQ(timeouts.of(RunPhase::kSetup), 1);
  EXPECT_EQ(timeouts.of(RunPhase::kStep), 2);
  EXPECT_EQ(timeouts.of(RunPhase::kEval), 3);
  EXPECT_EQ(timeouts.of(RunPhase::kCheckpoint), 4);
  EXPECT_EQ(timeouts.of(RunPhase::kDone), 5);
}

} // namespace
} // namespace vitrain::launch
