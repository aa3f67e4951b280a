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

} // namespace
} // namespace vitrain::e2e
