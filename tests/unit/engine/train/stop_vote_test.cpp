#include "engine/train/stop_vote.h"

#include <gtest/gtest.h>

namespace vitrain::engine {
namespace {

// The steps, from 0, after which a request made in step 3 is agreed on.
std::vector<int> agreed_steps(std::int64_t lead) {
  dist::Group alone;
  StopVotes votes(alone, lead);
  std::vector<int> agreed;
  for (int step = 0; step < 10; ++step) {
    votes.begin(step == 3 ? EarlyEnd::kRequested : EarlyEnd::kNone);
    if (votes.agreed() == EarlyEnd::kRequested) {
      agreed.push_back(step);
    }
  }
  votes.finish();
  return agreed;
}

TEST(StopVotes, AreReadAsManyStepsLaterAsRanksMayBeApart) {
  EXPECT_EQ(agreed_steps(0), std::vector<int>{3});
  EXPECT_EQ(agreed_steps(1), std::vector<int>{4});
  EXPECT_EQ(agreed_steps(5), std::vector<int>{8});
  EXPECT_EQ(agreed_steps(20), std::vector<int>{});
}

} // namespace
} // namespace vitrain::engine
