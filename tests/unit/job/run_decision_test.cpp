#include "job/run_decision.h"

#include <gtest/gtest.h>

#include "config/load/preprocess_values.h"

namespace vitrain::job {
namespace {

PreparedJob decided() {
  PreparedJob prepared;
  prepared.job.run_directory = "/runs/a b";
  prepared.job.resume = "/runs/a b/checkpoints/step-000000007";
  prepared.job.resumed_step = 7;
  prepared.job.recipe.data.preprocess.crop_pct = 0.9;
  prepared.finished = true;
  return prepared;
}

PreparedJob follower_of(const PreparedJob& who, JobMode mode) {
  PreparedJob follower;
  follower.job.mode = mode;
  const std::string text = Json(decision_of(who)).dump(); // as it travels
  adopt(Json::parse(text), "rank 0", follower);
  return follower;
}

TEST(RunDecision, IsTheSameOnAllSides) {
  const PreparedJob follower = follower_of(decided(), JobMode::kTrain);
  EXPECT_EQ(follower.job.run_directory, "/runs/a b");
  EXPECT_EQ(follower.job.resume, "/runs/a b/checkpoints/step-000000007");
  EXPECT_EQ(follower.job.resumed_step, 7);
  EXPECT_TRUE(follower.finished);
  // Training keeps its recipe; evaluated weights bring their pre-processing.
  EXPECT_EQ(follower.job.recipe.data.preprocess.crop_pct, 0.875);
  EXPECT_EQ(
      follower_of(decided(), JobMode::kEval)
          .job.recipe.data.preprocess.crop_pct,
      0.9);
}

// The decision of ranks other than the deciding one.
TEST(RunDecision, MayBeEmpty) {
  const RunDecision empty = Json(RunDecision{});
  EXPECT_EQ(empty.run_directory, "");
  EXPECT_FALSE(empty.finished);
}

} // namespace
} // namespace vitrain::job
