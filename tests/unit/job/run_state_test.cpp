#include "job/run/run_state.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <limits>

#include "config/sections/checkpoint.h"
#include "config/sections/recipe.h"
#include "core/error.h"
#include "job/run/saved_state.h"
#include "support/errors.h"
#include "support/messages.h"

namespace vitrain::job {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

TEST(Best, IsDecidedByTheMetric) {
  EXPECT_TRUE(improves(Metric::kTop1, 0.0, {}));
  EXPECT_TRUE(improves(Metric::kTop1, 51.0, {50.0, 3}));
  EXPECT_FALSE(improves(Metric::kTop1, 50.0, {50.0, 3}));
  EXPECT_TRUE(improves(Metric::kLoss, 0.4, {0.5, 3}));
  EXPECT_FALSE(improves(Metric::kLoss, 0.6, {0.5, 3}));
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_FALSE(improves(Metric::kLoss, nan, {}));
}

// The count for run.patience.
TEST(Best, CountsTheEvaluationsThatWereNotBetter) {
  Best best;
  std::vector<std::int64_t> worse;
  const double nan = std::numeric_limits<double>::quiet_NaN();
  for (const double value : {nan, 50.0, 40.0, 50.0, nan, 51.0, 1.0}) {
    best.take(Metric::kTop1, value, 10 * std::ssize(worse));
    worse.push_back(best.worse);
  }
  EXPECT_EQ(worse, (std::vector<std::int64_t>{1, 0, 1, 2, 3, 0, 1}));
  EXPECT_EQ(best.value, 51.0);
  EXPECT_EQ(best.step, 50);
}

// tests/golden/optim/make_torch_schedules.py: what torch's ReduceLROnPlateau
// makes of each evaluation. A factor is applied at most a few times.
TEST(Plateau, DropsAsTorchDoes) {
  std::ifstream stream(VITRAIN_SOURCE_DIR "/tests/golden/optim/plateau.json");
  const Json files = Json::parse(stream);
  ASSERT_EQ(files.size(), 3u);
  for (const Json& file : files) {
    const std::vector<double> rates = file.at("rates");
    const std::vector<double> metrics = file.at("metrics");
    Plateau plateau;
    for (std::size_t i = 0; i < metrics.size(); ++i) {
      plateau.take(
          file.at("larger_is_better").get<bool>() ? Metric::kTop1
                                                  : Metric::kLoss,
          metrics[i],
          file.at("patience"),
          file.at("threshold"));
      const double rate = std::max(
          file.at("min_lr").get<double>(),
          file.at("lr").get<double>() *
              std::pow(
                  file.at("factor").get<double>(),
                  static_cast<double>(plateau.drops)));
      EXPECT_NEAR(rate, rates[i], 1e-15) << i;
    }
  }
}

TEST(Plateau, WhatIsNoNumberIsNoBetter) {
  Plateau plateau;
  plateau.take(Metric::kLoss, std::numeric_limits<double>::quiet_NaN(), 0, 0.0);
  EXPECT_EQ(plateau.drops, 1);
  EXPECT_FALSE(plateau.best);
}

TEST(RunState, RoundTrip) {
  const RunState state{
      .step = 1234567890123,
      .best = {97.31, 1000, 7},
      .plateau = {.best = 0.125, .bad = 3, .drops = 2}};
  const Json json{
      {"run", state.to_json()}, {"identity", RunIdentity{}.to_json()}};
  const RunState same = read_saved_state(Json::parse(json.dump()), "m").run;
  EXPECT_EQ(same.step, state.step);
  EXPECT_EQ(same.best.value, state.best.value);
  EXPECT_EQ(same.best.step, state.best.step);
  EXPECT_EQ(same.best.worse, state.best.worse);
  EXPECT_EQ(same.plateau.best, state.plateau.best);
  EXPECT_EQ(same.plateau.bad, state.plateau.bad);
  EXPECT_EQ(same.plateau.drops, state.plateau.drops);
}

// Replaces every member of a state by every other type.
void try_all_types(const Json& whole, const Json::json_pointer& at) {
  const Json& member = whole.at(at);
  for (const Json& wrong :
       {Json(true), Json("x"), Json::array({"x"}), Json::object(), Json(1.5)}) {
    const bool fits = wrong.type() == member.type() ||
        (member.is_number_float() && wrong.is_number());
    if (fits) {
      continue;
    }
    Json other = whole;
    other[at] = wrong;
    EXPECT_THAT(
        error_of(
            ExitCode::kWeights,
            [&] {
              read_saved_state(other, "m.json");
              RunIdentity{}.check_same(other.at("identity"), "m.json");
            }),
        testing::StartsWith("m.json: 'state"));
  }
  for (const auto& [key, value] : member.items()) {
    if (member.is_structured()) {
      try_all_types(whole, at / Json::json_pointer("/" + key));
    }
  }
}

TEST(SavedState, RefusesWhatIsOfAnotherType) {
  const RunState run{.step = 3, .best = {97.31, 2}};
  Json state{
      {"run", run.to_json()},
      {"identity", RunIdentity{}.to_json()},
      {"bad_samples", {1, 5}},
      {"interval", {LogIntervalState{.loss = 0.5}.to_json()}}};
  EXPECT_EQ(read_saved_state(state, "m").bad_samples.size(), 2u);
  try_all_types(state, Json::json_pointer(""));
  for (const char* key : {"run", "identity"}) {
    Json without = state;
    without.erase(key);
    EXPECT_THROW(read_saved_state(without, "m"), Error) << key;
  }
}

TEST(RunState, ForgetsTheBestOfAnotherMetric) {
  RunState run{
      .step = 8,
      .best = {97.31, 2, 5, "top1"},
      .plateau = {.best = 97.31, .bad = 1, .drops = 2}};
  EXPECT_FALSE(run.judge_by("top1"));
  EXPECT_EQ(run.best.step, 2);
  EXPECT_TRUE(run.judge_by("loss"));
  EXPECT_EQ(run.best.step, -1);
  EXPECT_EQ(run.best.worse, 0);
  EXPECT_FALSE(run.plateau.best);
  EXPECT_EQ(run.plateau.drops, 2);
  run.best.take(Metric::kLoss, 2.5, 9);
  EXPECT_EQ(run.best.value, 2.5);
  EXPECT_EQ(run.best.metric_name, "loss");
  // A state of an older version has no metric name.
  run.best.metric_name = "";
  EXPECT_FALSE(run.judge_by("top1"));
  EXPECT_EQ(run.best.value, 2.5);
}

TEST(RunState, IsJudgedByTheAverageWhereThereIsOne) {
  config::Recipe recipe;
  recipe.checkpoint.metric = Metric::kLoss;
  EXPECT_EQ(judged_by(recipe), "loss");
  recipe.train.ema.decay = 0.9;
  EXPECT_EQ(judged_by(recipe), "loss, ema");
  recipe.checkpoint.weights = config::JudgedWeights::kRaw;
  EXPECT_EQ(judged_by(recipe), "loss");
}

// A checkpoint of a version that did not count them.
TEST(SavedState, MayCountNoEvaluations) {
  Json state{
      {"run", RunState{.best = {97.31, 2, 5}}.to_json()},
      {"identity", RunIdentity{}.to_json()}};
  state["run"]["best"].erase("worse");
  const Best best = read_saved_state(state, "m").run.best;
  EXPECT_EQ(best.step, 2);
  EXPECT_EQ(best.worse, 0);
}

TEST(SavedState, GivesEachRankItsPartOfAnInterval) {
  SavedState saved;
  EXPECT_EQ(saved.interval_of(1, 2).steps, 0);
  saved.interval = {
      {.steps = 3, .loss = 0.1, .count = 5, .hash = INT64_MAX, .bytes = 7},
      {.steps = 3, .loss = 0.2, .count = 6, .hash = 1, .bytes = 8}};
  EXPECT_EQ(saved.interval_of(1, 2).count, 6);
  // With another number of workers rank 0 has all sums, and the other ranks
  // have the same number of steps.
  const LogIntervalState all = saved.interval_of(0, 3);
  EXPECT_EQ(all.steps, 3);
  EXPECT_EQ(all.loss, 0.1 + 0.2);
  EXPECT_EQ(all.count, 11);
  EXPECT_EQ(all.hash, INT64_MIN);
  EXPECT_EQ(all.bytes, 15);
  EXPECT_EQ(saved.interval_of(2, 3).steps, 3);
  EXPECT_EQ(saved.interval_of(2, 3).count, 0);
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
  EXPECT_THAT(
      error_of(
          ExitCode::kUsage,
          [&] { other.check_same(saved.to_json(), "runs/a"); }),
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

// An absolute list whose data moved.
TEST(RunIdentity, SaysInWhatTheDataDiffer) {
  const RunIdentity saved{
      .train_samples = 36,
      .train_fingerprint = "00ff",
      .train_labels = "11",
      .train_folder = "/old/data"};
  RunIdentity moved = saved;
  moved.train_fingerprint = "00fe";
  moved.train_folder = "/new/data";
  const auto refusal = [](const RunIdentity& own, const Json& checkpoint) {
    return error_of(
        ExitCode::kUsage, [&] { own.check_same(checkpoint, "runs/a"); });
  };
  EXPECT_THAT(
      refusal(moved, saved.to_json()),
      testing::AllOf(
          testing::HasSubstr("the same labels in the same order"),
          testing::HasSubstr("train_folder: checkpoint \"/old/data\", this run "
                             "\"/new/data\""),
          testing::HasSubstr("ln -s /new/data /old/data"),
          testing::Not(testing::HasSubstr("train_labels"))));
  RunIdentity other = moved;
  other.train_labels = "22";
  EXPECT_THAT(
      refusal(other, saved.to_json()),
      testing::AllOf(
          testing::HasSubstr("other labels or classes"),
          testing::Not(testing::HasSubstr("ln -s"))));
  Json older = saved.to_json();
  older.erase("train_labels");
  older.erase("train_folder");
  expect_message(refusal(moved, older), {});
  EXPECT_EQ(refusal(saved, older), "");
}

// A checkpoint of a version that did not record the optimizer.
TEST(RunIdentity, NamesTheOptionsOfTheCheckpointsRun) {
  const RunIdentity saved{
      .global_batch = 64, .train_samples = 90, .train_fingerprint = "a"};
  const auto refusal = [&](const RunIdentity& own) {
    return error_of(
        ExitCode::kUsage, [&] { own.check_same(saved.to_json(), "runs/a"); });
  };
  RunIdentity own = saved;
  own.global_batch = 32;
  own.devices = 1;
  expect_message(refusal(own), {"-devices", "2"});
  own.cuda = true;
  expect_message(refusal(own), {"-devices", "2"});
  own.global_batch = 48; // of another data.batch_size
  EXPECT_THAT(refusal(own), Not(HasSubstr("-devices")));
  own = saved;
  own.devices = 1;
  own.train_fingerprint = "b";
  EXPECT_THAT(
      refusal(own), AllOf(Not(HasSubstr("-devices")), Not(HasSubstr("split"))));
  own.split = true;
  expect_message(refusal(own), {"data.split_seed"});
}

TEST(RunIdentity, WhatACheckpointDoesNotKnowIsPassedOver) {
  const RunIdentity identity{.model = "m", .optimizer = "adamw"};
  Json older = identity.to_json();
  older.erase("optim.name");
  EXPECT_NO_THROW(identity.check_same(older, "x"));
  older["model"] = "n";
  EXPECT_THROW(identity.check_same(older, "x"), Error);
}

} // namespace
} // namespace vitrain::job
