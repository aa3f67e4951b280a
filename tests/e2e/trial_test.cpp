// -try and run.stop_after.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <csignal>
#include <filesystem>
#include <thread>

#include "program.h"

namespace vitrain::e2e {
namespace {

using ::testing::ContainsRegex;
using ::testing::HasSubstr;

TEST(Trial, SaysWhatARunWillTakeAndLeavesNothing) {
  const TempFolder folder;
  const Result result =
      run(tiny_run(
              folder / "fresh/runs",
              {.devices = "cpu:2",
               .set =
                   {"schedule.warmup=1ep",
                    "data.train.count=130",
                    "data.sampler.policy=repeated",
                    "data.sampler.round=128",
                    "log.mlflow=http://127.0.0.1:1"},
               .more = {"-try", "2"}}),
          240);
  ASSERT_EQ(result.exit_code, 0) << result.out << result.err;
  EXPECT_THAT(result.out, HasSubstr("everything worked"));
  EXPECT_THAT(result.out, ContainsRegex("speed +[0-9.]+ images/s"));
  EXPECT_THAT(result.out, ContainsRegex("memory +[0-9.]+ MiB in rank 0"));
  EXPECT_THAT(result.out, ContainsRegex("whole run +[0-9,]+ steps in about"));
  // Of the sampler's 128 samples per epoch.
  EXPECT_THAT(
      result.out,
      ContainsRegex("batch +64 samples for each device fit [(]16 are planned[)]"
                    ": all that[[:space:]]+an[[:space:]]+epoch"));
  EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
}

TEST(Trial, SaysWhatWouldGoWrong) {
  const TempFolder folder;
  std::filesystem::create_directory(folder / "runs"); // which stays
  const auto with = [&](const Words& set, const Words& more) {
    return run(
        tiny_run(
            folder / "runs", {.devices = "cpu:1", .set = set, .more = more}),
        120);
  };
  const Result steps = with({}, {"-try", "900"});
  EXPECT_EQ(steps.exit_code, 2);
  EXPECT_THAT(steps.err, HasSubstr("-try 900 makes 900 steps"));
  const Result diverges = with(
      {"optim.lr=1e30", "optim.name=sgd", "schedule.warmup=0st"}, {"-try"});
  EXPECT_EQ(diverges.exit_code, 5) << diverges.out << diverges.err;
  EXPECT_THAT(diverges.err, HasSubstr("training has diverged"));
  EXPECT_EQ(with({}, {"-try", "-resume"}).exit_code, 2);
  EXPECT_TRUE(std::filesystem::is_empty(folder / "runs"));
}

TEST(Trial, ThatIsInterruptedLeavesNothing) {
  const TempFolder folder;
  Program program(tiny_run(
      folder / "runs",
      {.devices = "cpu:1",
       .set = {"run.epochs=100000"},
       .more = {"-try", "1000"}}));
  std::this_thread::sleep_for(std::chrono::seconds(2));
  program.signal(SIGINT);
  const Result result = program.wait();
  EXPECT_EQ(result.exit_code, 128 + SIGINT) << result.err;
  EXPECT_THAT(result.err, HasSubstr("SIGINT"));
  EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
}

TEST(FindLr, ShowsTheLossAndSuggestsARate) {
  const TempFolder folder;
  const Result result =
      run(tiny_run(
              folder / "runs",
              {.config = kTinyResNet,
               .devices = "cpu:2",
               .more = {"-find_lr", "100"}}),
          120);
  ASSERT_EQ(result.exit_code, 0) << result.out << result.err;
  EXPECT_THAT(result.out, HasSubstr("log10 of the learning rate"));
  EXPECT_THAT(
      result.out,
      ContainsRegex("suggested +optim.lr between [0-9.e-]+ and [0-9.e-]+:"));
  EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
}

// Pruning that begins after its steps used to be an error.
TEST(FindLr, LeavesPruningOut) {
  const TempFolder folder;
  const Result result = run(tiny_run(
      folder / "runs",
      {.devices = "cpu:1",
       .set =
           {"run.epochs=100",
            "train.prune.amount=0.5",
            "train.prune.start=20ep"},
       .more = {"-find_lr", "20"}}));
  EXPECT_EQ(result.exit_code, 0) << result.out << result.err;
}

TEST(StopAfter, StopsWithACheckpointAndGoesOnForAsLong) {
  const TempFolder folder;
  const Words words = tiny_run(
      folder / "runs",
      {.set = {
           "run.stop_after=3st", "run.max_steps=5", "schedule.warmup=1st"}});
  EXPECT_EQ(run(words).exit_code, 75);
  const auto first = newest_run(folder / "runs");
  EXPECT_EQ(steps_in_order(first), 3);
  EXPECT_TRUE(std::filesystem::exists(checkpoint(first, 3)));
  Words again = words;
  again.insert(again.end(), {"-resume", "auto"});
  EXPECT_EQ(run(again).exit_code, 0);
  EXPECT_EQ(newest_run(folder / "runs"), first);
  EXPECT_EQ(steps_in_order(first), 5);
}

} // namespace
} // namespace vitrain::e2e
