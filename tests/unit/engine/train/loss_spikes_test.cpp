#include "engine/train/loss_spikes.h"

#include <limits>

#include <gtest/gtest.h>

namespace vitrain::engine {
namespace {

TEST(LossSpikes, ComparesWithTheMedianOfFullWindows) {
  LossSpikes spikes({.factor = 2.0, .window = 4});
  EXPECT_FALSE(spikes.judge(1.0));
  EXPECT_FALSE(spikes.judge(50.0)); // only one loss is known
  EXPECT_FALSE(spikes.judge(2.0));
  EXPECT_FALSE(spikes.judge(3.0));
  EXPECT_DOUBLE_EQ(spikes.median(), 2.5);
  EXPECT_FALSE(spikes.judge(5.0)); // not more than twice
  EXPECT_EQ(spikes.losses(), (std::vector<double>{50.0, 2.0, 3.0, 5.0}));
  EXPECT_DOUBLE_EQ(spikes.median(), 4.0);
  EXPECT_TRUE(spikes.judge(8.1));
  EXPECT_TRUE(spikes.judge(9.0));
  EXPECT_EQ(spikes.in_a_row(), 2);
  EXPECT_DOUBLE_EQ(spikes.last(), 9.0);
  EXPECT_DOUBLE_EQ(spikes.median(), 4.0); // spikes do not count
  EXPECT_FALSE(spikes.judge(1.0));
  EXPECT_EQ(spikes.in_a_row(), 0);
}

TEST(LossSpikes, LeavesLossesThatAreNotFiniteToOnNonFinite) {
  LossSpikes spikes({.factor = 2.0, .window = 1});
  spikes.judge(1.0);
  EXPECT_FALSE(spikes.judge(std::numeric_limits<double>::infinity()));
  EXPECT_FALSE(spikes.judge(std::numeric_limits<double>::quiet_NaN()));
  EXPECT_EQ(spikes.losses(), std::vector<double>{1.0});
}

TEST(LossSpikes, ARestoredStateGoesOn) {
  LossSpikes spikes({.factor = 2.0, .window = 3});
  spikes.restore({9.0, 1.0, 2.0, 3.0}, 1);
  EXPECT_EQ(spikes.losses(), (std::vector<double>{1.0, 2.0, 3.0}));
  EXPECT_TRUE(spikes.judge(4.5));
  EXPECT_EQ(spikes.in_a_row(), 2);
}

} // namespace
} // namespace vitrain::engine
