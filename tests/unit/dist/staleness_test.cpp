#include "dist/sync/staleness.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

namespace vitrain::dist {
namespace {

TEST(StalenessBound, DropsWhatIsTooOld) {
  StalenessBound bound(3, /*limit=*/1, OnStale::kDrop);
  for (int worker = 0; worker < 3; ++worker) {
    EXPECT_TRUE(bound.may_read());
    bound.read(worker);
  }
  EXPECT_EQ(bound.update(2), 0);
  EXPECT_EQ(bound.update(0), 1);
  EXPECT_EQ(bound.update(1), std::nullopt);
  EXPECT_EQ(bound.version(), 2);
  bound.read(1);
  EXPECT_EQ(bound.update(1), 0);
}

TEST(StalenessBound, OfZeroLetsOneWorkerReadAtATime) {
  StalenessBound bound(2, /*limit=*/0, OnStale::kWait);
  bound.read(1);
  EXPECT_FALSE(bound.may_read());
  EXPECT_TRUE(bound.may_update(1));
  EXPECT_EQ(bound.update(1), 0);
  EXPECT_TRUE(bound.may_read());
  bound.read(0);
  EXPECT_FALSE(bound.may_read());
  bound.withdraw(0);
  EXPECT_TRUE(bound.may_read());
  EXPECT_EQ(bound.version(), 1);
}

// A slow worker holds a fast one up as late as possible.
TEST(StalenessBound, AFastWorkerIsHeldWhenASlowOneWouldBecomeTooOld) {
  StalenessBound bound(2, /*limit=*/3, OnStale::kWait);
  bound.read(0);
  for (int t = 0; t < 3; ++t) {
    bound.read(1);
    EXPECT_TRUE(bound.may_update(1));
    EXPECT_EQ(bound.update(1), 0);
  }
  EXPECT_TRUE(bound.may_read());
  bound.read(1);
  EXPECT_FALSE(bound.may_update(1));
  EXPECT_TRUE(bound.may_update(0));
  EXPECT_EQ(bound.update(0), 3);
  EXPECT_EQ(bound.update(1), 1);
}

// Workers of random speed: one of them can always proceed, no gradient is
// dropped or too old.
TEST(StalenessBound, NobodyIsTooOldAndSomebodyMayAlwaysGoOn) {
  std::mt19937 random(7);
  for (int trial = 0; trial < 400; ++trial) {
    const int workers = 1 + trial % 5;
    const std::int64_t limit = trial / 5 % 8;
    StalenessBound bound(workers, limit, OnStale::kWait);
    std::vector<bool> reading(static_cast<std::size_t>(workers), false);
    std::int64_t updates = 0;
    for (int event = 0; event < 200; ++event) {
      std::vector<int> able;
      for (int worker = 0; worker < workers; ++worker) {
        if (reading[static_cast<std::size_t>(worker)] ? bound.may_update(worker)
                                                      : bound.may_read()) {
          able.push_back(worker);
        }
      }
      ASSERT_FALSE(able.empty()) << "of " << workers << ", limit " << limit;
      const int worker = able[random() % able.size()];
      const auto i = static_cast<std::size_t>(worker);
      if (!reading[i]) {
        bound.read(worker);
      } else {
        const auto staleness = bound.update(worker);
        ASSERT_TRUE(staleness.has_value());
        EXPECT_LE(*staleness, limit);
        EXPECT_EQ(bound.version(), ++updates);
      }
      reading[i] = !reading[i];
    }
  }
}

// All workers that have read weights may be slow: each still finds its place.
TEST(StalenessBound, TheOldestClaimNeverWaits) {
  StalenessBound bound(4, /*limit=*/2, OnStale::kWait);
  int reading = 0;
  while (reading < 4 && bound.may_read()) {
    bound.read(reading++);
  }
  EXPECT_EQ(reading, 3);
  for (int worker = 0; worker < reading; ++worker) {
    EXPECT_TRUE(bound.may_update(worker)) << worker;
    EXPECT_EQ(bound.update(worker), worker);
  }
}

} // namespace
} // namespace vitrain::dist
