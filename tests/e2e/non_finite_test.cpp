// train.on_non_finite: overflowing steps have no effect and the run continues.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <fstream>

#include "program.h"

namespace vitrain::e2e {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

// A regression on rows of which one, in every epoch, gives an infinite loss:
// its square does not fit into fp32.
class NonFinite : public ::testing::Test {
 protected:
  NonFinite() {
    std::filesystem::create_directories(folder_ / "data");
    write_rows("train.csv", 1e30);
    write_rows("val.csv", 1.0);
  }

  void write_rows(const char* name, double last) const {
    std::ofstream file(folder_ / "data" / name);
    file << "a,b,y\n";
    for (int i = 0; i < 39; ++i) {
      file << std::sin(1.7 * i) << "," << std::cos(2.9 * i) << "," << i % 5
           << "\n";
    }
    file << "0.5,0.5," << last << "\n";
  }

  // 4 epochs of 5 steps.
  Result train_with(Words set) const {
    set.insert(
        set.end(),
        {"run.seed=5", // no bad step before the first checkpoint
         "data.batch_size=8",
         "data.batch_mode=global",
         "run.epochs=4",
         "checkpoint.keep_last=20"});
    if (std::ranges::none_of(set, [](const std::string& one) {
          return one.starts_with("checkpoint.every");
        })) {
      set.emplace_back("checkpoint.every=2st");
    }
    Words words{
        "-cfg",
        VITRAIN_SOURCE_DIR "/configs/pytorch_ddp_example.yaml",
        "-devices",
        "cpu:2",
        "-data_path",
        (folder_ / "data").native(),
        "-output",
        (folder_ / "runs").native()};
    for (const std::string& setting : set) {
      words.insert(words.end(), {"-set", setting});
    }
    return run(words, 120);
  }

  TempFolder folder_;
};

TEST_F(NonFinite, StepsAreSkippedOnAllWorkers) {
  const Result result = train_with({"train.on_non_finite=skip"});
  ASSERT_EQ(result.exit_code, 0) << result.out << result.err;
  const std::string said = result.out + result.err;
  EXPECT_THAT(said, HasSubstr("the step is skipped"));
  EXPECT_THAT(said, HasSubstr("1 in a row, 4 in all"));
  EXPECT_THAT(said, Not(HasSubstr("5 in all")));
  const auto evaluated = records(newest_run(folder_ / "runs"), "eval");
  ASSERT_FALSE(evaluated.empty());
  EXPECT_TRUE(std::isfinite(evaluated.back().at("loss").get<double>()));
  for (const Json& record : records(newest_run(folder_ / "runs"), "train")) {
    EXPECT_FALSE(
        record.at("loss").is_number() &&
        record.at("loss").get<double>() > 100.0);
  }
}

TEST_F(NonFinite, RollsBackToTheLastCheckpoint) {
  const Result result = train_with({"train.on_non_finite=rollback"});
  ASSERT_EQ(result.exit_code, 0) << result.out << result.err;
  const std::string said = result.out + result.err;
  EXPECT_THAT(
      said,
      HasSubstr(
          "at step 3 (epoch 1): weights and optimizer are those of step 2"));
  EXPECT_THAT(said, HasSubstr("4 in all"));
  const auto evaluated = records(newest_run(folder_ / "runs"), "eval");
  ASSERT_FALSE(evaluated.empty());
  EXPECT_TRUE(std::isfinite(evaluated.back().at("loss").get<double>()));
}

TEST_F(NonFinite, WithoutACheckpointTheKeyOfItsIntervalIsNamed) {
  const Result result =
      train_with({"train.on_non_finite=rollback", "checkpoint.every=20st"});
  EXPECT_EQ(result.exit_code, 5) << result.out << result.err;
  EXPECT_THAT(
      result.err,
      HasSubstr("there is no checkpoint yet that train.on_non_finite: rollback "
                "could go back to: a shorter checkpoint.every than 20st"));
}

TEST_F(NonFinite, TooManyEndTheRun) {
  const Result result =
      train_with({"train.on_non_finite=skip", "train.non_finite_in_all=2"});
  EXPECT_EQ(result.exit_code, 5) << result.out << result.err;
  EXPECT_THAT(
      result.err,
      HasSubstr("in 3 steps of the run, more than train.non_finite_in_all: 2"));
}

TEST_F(NonFinite, NeedsModesThatKeepNothing) {
  const Result result =
      train_with({"train.on_non_finite=skip", "dist.sync.mode=local_sgd"});
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_THAT(result.err, HasSubstr("train.on_non_finite"));
  EXPECT_THAT(result.err, HasSubstr("dist.sync.mode: allreduce"));
}

// train.on_spike: one row of the training data is far from the others.
class Spike : public NonFinite {
 protected:
  Spike() { write_rows("train.csv", 1e3); }

  Result train_with(const Words& more) const {
    Words set{"train.on_spike.factor=20", "train.on_spike.window=2"};
    set.insert(set.end(), more.begin(), more.end());
    return NonFinite::train_with(set);
  }
};

TEST_F(Spike, StepsAreSkippedOnAllWorkers) {
  const Result result = train_with({"train.on_spike.action=skip"});
  ASSERT_EQ(result.exit_code, 0) << result.out << result.err;
  EXPECT_THAT(result.out + result.err, HasSubstr("the step is skipped"));
  // Neither their losses nor their updates are part of the run.
  const auto path = newest_run(folder_ / "runs");
  for (const Json& record : records(path, "train")) {
    EXPECT_FALSE(
        record.at("loss").is_number() &&
        record.at("loss").get<double>() > 100.0);
  }
  // A resumed run compares with the same losses.
  const Json before = Json::parse(slurp(checkpoint(path, 20) / "manifest.json"))
                          .at("state")
                          .at("spikes");
  EXPECT_EQ(before.at("losses").size(), 2u);
  const auto copy = resume_copy(
      path,
      folder_ / "copy",
      {.config = path / "config.yaml", .devices = "cpu:2"},
      10);
  EXPECT_EQ(
      Json::parse(slurp(checkpoint(copy, 20) / "manifest.json"))
          .at("state")
          .at("spikes"),
      before);
}

TEST_F(Spike, RollsBackToTheLastCheckpoint) {
  const Result result = train_with({"train.on_spike.action=rollback"});
  ASSERT_EQ(result.exit_code, 0) << result.out << result.err;
  EXPECT_THAT(
      result.out + result.err,
      HasSubstr("weights and optimizer are those of step 2 again"));
}

TEST_F(Spike, EndsTheRunAndLeavesItsSamplesAndNorms) {
  const Result result = train_with({});
  expect_error(result, 5, {"train.on_spike", "step 3"});
  const auto path = newest_run(folder_ / "runs");
  const Json dump = Json::parse(slurp(path / "bad-step-3.json"));
  EXPECT_EQ(dump.at("step"), 3);
  std::int64_t samples = 0;
  bool has_bad_row = false;
  for (const Json& batch : dump.at("samples")) {
    for (const Json& sample : batch) {
      ++samples;
      has_bad_row = has_bad_row || sample == 39;
    }
  }
  EXPECT_EQ(samples, 8);
  EXPECT_TRUE(has_bad_row);
  for (const Json& layer : dump.at("norms")) {
    EXPECT_GT(std::stod(layer.at("gradient").get<std::string>()), 0.0);
  }
  // The command in it repeats the step.
  EXPECT_EQ(dump.at("repeat"), "vitrain -resume " + path.native());
  expect_error(run({"-resume", path}), 5, {"train.on_spike", "step 3"});
}

TEST_F(Spike, TooManyInARowEndTheRun) {
  // Without the far row every second step would do: all losses are above the
  // first two, which are made small.
  const Result result = train_with(
      {"train.on_spike.action=skip",
       "train.on_spike.factor=1.0001",
       "train.on_spike.in_a_row=1",
       "optim.lr=1e-12"});
  expect_error(result, 5, {"train.on_spike.in_a_row"});
}

TEST_F(Spike, NeedsModesThatKeepNothing) {
  expect_error(
      train_with({"dist.sync.mode=local_sgd"}),
      2,
      {"train.on_spike.factor", "dist.sync.mode"});
}

TEST_F(NonFinite, LeavesItsSamplesAndNorms) {
  const Result result = train_with({});
  ASSERT_EQ(result.exit_code, 5) << result.out << result.err;
  const Json dump =
      Json::parse(slurp(newest_run(folder_ / "runs") / "bad-step-3.json"));
  const double norm = std::stod(dump.at("gradient_norm").get<std::string>());
  EXPECT_FALSE(std::isfinite(norm));
}

} // namespace
} // namespace vitrain::e2e
