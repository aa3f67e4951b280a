#include "launch/processes/heartbeat.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <thread>
#include <vector>

#include "core/check.h"
#include "launch/processes/descriptors.h"

namespace vitrain::launch {
namespace {

TEST(Heartbeat, IsSeenByTheSupervisor) {
  const HeartbeatBlock block(3);
  const double before = monotonic_seconds();
  EXPECT_EQ(block.progress(2).phase, RunPhase::kSetup);
  EXPECT_EQ(block.progress(2).step, -1);
  EXPECT_LE(block.progress(2).last_beat, before);

  Heartbeat heart(block.fd(), 1, 3);
  heart.enter(RunPhase::kStep);
  heart.beat(41);
  const auto progress = block.progress(1);
  EXPECT_EQ(progress.phase, RunPhase::kStep);
  EXPECT_EQ(progress.step, 41);
  EXPECT_GE(progress.last_beat, before);
  EXPECT_EQ(progress.beats, 3U);
  EXPECT_EQ(block.progress(0).beats, 0U);
  EXPECT_EQ(block.progress(2).beats, 0U);

  heart.enter(RunPhase::kEval);
  EXPECT_EQ(block.progress(1).phase, RunPhase::kEval);
  EXPECT_EQ(block.progress(1).step, 41);
  heart.done();
  EXPECT_EQ(block.progress(1).phase, RunPhase::kDone);
}

TEST(Heartbeat, WithoutASupervisorDoesNothing) {
  Heartbeat heart;
  heart.enter(RunPhase::kStep);
  heart.beat(1);
  heart.done();
  const HeartbeatBlock block(1);
  heart = Heartbeat(block.fd(), 0, 1);
  heart.beat(5);
  EXPECT_EQ(block.progress(0).step, 5);
}

TEST(Heartbeat, RefusesWhatIsNotItsBlock) {
  const HeartbeatBlock block(2);
  EXPECT_THROW(Heartbeat(block.fd(), 0, 3), Error);
  EXPECT_THROW(Heartbeat(block.fd(), 2, 2), Error);
  EXPECT_THROW(Heartbeat(make_memfd("other", "x").get(), 0, 2), Error);
  EXPECT_THROW(Heartbeat(-1, 0, 2), Error);
}

TEST(Heartbeat, ManyThreadsMayBeat) {
  const HeartbeatBlock block(1);
  Heartbeat heart(block.fd(), 0, 1);
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      for (int k = 0; k < 1000; ++k) {
        heart.beat();
      }
    });
  }
  for (auto& thread : threads) {
    thread.join();
  }
  EXPECT_EQ(block.progress(0).beats, 4001U);
}

} // namespace
} // namespace vitrain::launch
