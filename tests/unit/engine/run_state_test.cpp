#include "engine/run_state.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "core/error.h"

namespace vitrain::engine {
namespace {

TEST(Best, IsDecidedByTheMetric) {
  EXPECT_TRUE(improves(config::Metric::kTop1, 0.0, {}));
  EXPECT_TRUE(improves(config::Metric::kTop1, 51.0, {50.0, 3}));
  EXPECT_FALSE(improves(config::Metric::kTop1, 50.0, {50.0, 3}));
  EXPECT_TRUE(improves(config::Metric::kLoss, 0.4, {0.5, 3}));
  EXPECT_FALSE(improves(config::Metric::kLoss, 0.6, {0.5, 3}));
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_FALSE(improves(config::Metric::kLoss, nan, {}));
}

TEST(RunState, RoundTrip) {
  const RunState state{.step = 1234567890123, .best = {97.31, 1000}};
  const RunState same =
      RunState::from_json(Json::parse(state.to_json().dump()));
  EXPECT_EQ(same.step, state.step);
  EXPECT_EQ(same.best.value, state.best.value);
  EXPECT_EQ(same.best.step, state.best.step);
}

TEST(RunIdentity, NamesEveryDifferenceWithBothValues) {
  const RunIdentity saved{
      .model = "vit_tiny_patch16_224",
      .network = "depth 2",
      .num_classes = 10,
      .optimizer = "adamw",
      .seed = 1,
      .global_batch = 64,
      .train_samples = 1000,
      .train_fingerprint = "00ff",
      .sampler = "global"};
  EXPECT_NO_THROW(saved.check_same(saved.to_json(), "x"));
  RunIdentity other = saved;
  other.seed = 2;
  other.network = "depth 3";
  other.optimizer = "sgd";
  other.global_batch = 128;
  try {
    other.check_same(saved.to_json(), "runs/a");
    FAIL() << "accepted";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::kUsage);
    EXPECT_THAT(
        error.what(),
        testing::AllOf(
            testing::HasSubstr("runs/a"),
            testing::HasSubstr("seed: checkpoint 1, this run 2"),
            testing::HasSubstr("optim.name: checkpoint \"adamw\", this run "
                               "\"sgd\""),
            testing::HasSubstr("network: checkpoint \"depth 2\", this run "
                               "\"depth 3\""),
            testing::HasSubstr("global_batch: checkpoint 64, this run 128"),
            testing::Not(testing::HasSubstr("num_classes"))));
  }
}

// A checkpoint of a version that did not record the optimizer.
TEST(RunIdentity, WhatACheckpointDoesNotKnowIsPassedOver) {
  const RunIdentity identity{.model = "m", .optimizer = "adamw"};
  Json older = identity.to_json();
  older.erase("optim.name");
  EXPECT_NO_THROW(identity.check_same(older, "x"));
  older["model"] = "n";
  EXPECT_THROW(identity.check_same(older, "x"), Error);
}

} // namespace
} // namespace vitrain::engine
