// Checkpoints that are written while training goes on.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>
#include <fstream>
#include <set>

#include "program.h"

namespace vitrain::e2e {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

// Checkpoints of the steps 10, 20 and 30, which is the last one.
const Options kThirty{
    .set = {
        "run.max_steps=30",
        "run.name=r",
        "eval.every=1000ep",
        "checkpoint.every=10st",
        "checkpoint.keep_last=9"}};

// Rank 0 fails when it flushes a file of a checkpoint for the `count`-th time
// (tests/support/faults.cpp).
Command with_fault(
    const TempFolder& folder,
    const Options& options,
    int count,
    const std::string& action) {
  return vitrain(
      tiny_run(folder / "runs", options),
      {{"FAULT", "0:save:" + std::to_string(count) + ":" + action},
       {"FAULT_MARK", (folder / "mark").native()},
       {"LD_PRELOAD", VITRAIN_BINARY_DIR "/tests/faults.so"}});
}

std::vector<int> saved_steps(const std::filesystem::path& run) {
  std::vector<int> steps;
  for (const Json& record : records(run, "checkpoint")) {
    steps.push_back(record.at("step"));
    EXPECT_TRUE(std::filesystem::exists(
        checkpoint(run, steps.back()) / "manifest.json"));
  }
  return steps;
}

// Names in checkpoints/ that are not those of complete checkpoints or pointers.
std::vector<std::string> leftovers(const std::filesystem::path& run) {
  std::vector<std::string> names;
  for (const auto& entry :
       std::filesystem::directory_iterator(run / "checkpoints")) {
    const std::string name = entry.path().filename();
    if (name != "latest" && name != "best" &&
        !std::filesystem::exists(entry.path() / "manifest.json")) {
      names.push_back(name);
    }
  }
  return names;
}

// Steps of the records of training before the checkpoint record of `step`.
std::int64_t trained_before_record(const std::filesystem::path& run, int step) {
  std::int64_t trained = 0;
  for (const Json& record : records(run)) {
    if (record.at("kind") == "train") {
      trained = record.at("step");
    } else if (record.at("kind") == "checkpoint" && record.at("step") == step) {
      return trained;
    }
  }
  return -1;
}

// With a slow disk. Each checkpoint is recorded when it is complete, in order.
TEST(Saving, TrainingGoesOnWhileACheckpointIsWritten) {
  for (const bool async : {true, false}) {
    const TempFolder folder;
    const Result result = run(with_fault(
        folder,
        kThirty.with(
            {.set =
                 {async ? "checkpoint.async=true" : "checkpoint.async=false"}}),
        1,
        "slow"));
    ASSERT_EQ(result.exit_code, 0) << result.err;
    const auto path = newest_run(folder / "runs");
    EXPECT_THAT(saved_steps(path), ElementsAre(10, 20, 30));
    EXPECT_EQ(trained_before_record(path, 10) > 10, async);
    EXPECT_LE(trained_before_record(path, 10), 20);
    EXPECT_EQ(trained_before_record(path, 30), 30);
    const Json saved = records(path, "checkpoint").front();
    const double seconds = saved.at("seconds");
    EXPECT_GT(seconds, 0.18);
    EXPECT_EQ(saved.at("blocked_seconds").get<double>() < seconds, async);
  }
}

// The copy is that of its step, on any number of workers, with the optimizer's
// state in shares, and with averages.
TEST(Saving, WritesTheSameBytesAsBefore) {
  const Options common =
      kThirty.with({.devices = "cpu:2", .set = {"train.ema.decay=0.9"}});
  for (const char* zero1 : {"dist.zero1=true", "dist.zero1=false"}) {
    const TempFolder folder;
    const auto waits = train(
        folder / "a", common.with({.set = {zero1, "checkpoint.async=false"}}));
    const auto goes_on = train(folder / "b", common.with({.set = {zero1}}));
    for (const int step : {10, 20, 30}) {
      for (const char* file :
           {"model.safetensors",
            "ema.safetensors",
            "optimizer.safetensors",
            "manifest.json"}) {
        EXPECT_EQ(
            slurp(checkpoint(goes_on, step) / file),
            slurp(checkpoint(waits, step) / file))
            << step << " " << file;
      }
    }
  }
}

TEST(Saving, AFailureIsReportedWhileTrainingGoesOn) {
  const TempFolder folder;
  const Result result = run(with_fault(folder, kThirty, 2, "full"));
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(
      result.out + result.err,
      AllOf(
          HasSubstr("checkpoint of step 10 failed"),
          HasSubstr("optimizer.safetensors: No space left on device"),
          Not(HasSubstr("checkpoint of step 20 failed"))));
  const auto path = newest_run(folder / "runs");
  EXPECT_THAT(saved_steps(path), ElementsAre(20, 30));
  EXPECT_TRUE(leftovers(path).empty());
}

TEST(Saving, KilledAnywhereARunGoesOnBitByBit) {
  const TempFolder whole_folder;
  const auto whole = train(whole_folder / "runs", kThirty);
  for (const int count : {1, 3, 4, 5, 7, 11}) {
    const TempFolder folder;
    const Result killed =
        run(with_fault(folder, kThirty, count, std::to_string(SIGKILL)));
    ASSERT_EQ(killed.exit_code, 7) << count << killed.err;
    const auto path = newest_run(folder / "runs");
    const auto said = saved_steps(path); // complete ones alone
    const Result resumed =
        run(tiny_run(folder / "runs", kThirty.with({.resume = "auto"})));
    ASSERT_EQ(resumed.exit_code, 0) << count << resumed.err;
    if (!said.empty()) {
      EXPECT_THAT(resumed.out, HasSubstr("continuing after step "));
    }
    EXPECT_EQ(newest_run(folder / "runs"), path);
    EXPECT_EQ(steps_in_order(path), 30);
    EXPECT_TRUE(leftovers(path).empty()) << count;
    expect_same_checkpoint(path, whole, 30);
  }
}

// The checkpoint that a thread writes comes first, then that of the stop.
TEST(Saving, AStopWaitsForBoth) {
  const TempFolder folder;
  Program program(with_fault(
      folder,
      kThirty.with({.set = {"run.max_steps=100000", "run.epochs=10000"}}),
      1,
      "slow"));
  ASSERT_TRUE(program.wait_for_record(folder / "runs", "train", 11, 60));
  program.signal(SIGTERM);
  const Result result = program.wait(30);
  EXPECT_EQ(result.exit_code, 75) << result.err;
  const auto path = newest_run(folder / "runs");
  const auto saved = saved_steps(path);
  ASSERT_GE(saved.size(), 2u);
  EXPECT_EQ(saved.front(), 10);
  EXPECT_TRUE(std::ranges::is_sorted(saved));
  EXPECT_EQ(saved.back(), steps_in_order(path));
  EXPECT_TRUE(leftovers(path).empty());
}

// A stop at the step of a checkpoint that is being written saves it once.
TEST(Saving, AStopTakesTheCheckpointOfItsStep) {
  const TempFolder folder;
  const Result result = run(with_fault(
      folder, kThirty.with({.set = {"run.stop_after=10st"}}), 1, "slow"));
  EXPECT_EQ(result.exit_code, 75) << result.err;
  EXPECT_THAT(saved_steps(newest_run(folder / "runs")), ElementsAre(10));
}

class Mirror : public testing::Test {
 protected:
  std::filesystem::path trained(const Options& more = {}) const {
    return train(output_, options(more));
  }
  Options options(const Options& more) const {
    return kThirty
        .with({.set = {"checkpoint.mirror=" + (folder_ / "mirror").native()}})
        .with(more);
  }
  std::filesystem::path mirror_of(const std::filesystem::path& run) const {
    return folder_ / "mirror" / run.filename();
  }
  // Resumes a run; returns what it said.
  std::string resume(const std::filesystem::path& from, const Words& set) {
    const Result result =
        run(tiny_run(output_, options({.set = set, .resume = from})));
    EXPECT_EQ(result.exit_code, 0) << result.err;
    return result.out + result.err;
  }

  const TempFolder folder_;
  const std::filesystem::path output_ = folder_ / "runs";
};

std::set<std::string> names_in(const std::filesystem::path& folder) {
  std::set<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    names.insert(entry.path().filename());
  }
  return names;
}

TEST_F(Mirror, HasTheCheckpointsOfTheRun) {
  const auto path =
      trained({.set = {"checkpoint.keep_last=2", "eval.every=10st"}});
  const auto copy = mirror_of(path);
  EXPECT_EQ(slurp(copy / "config.yaml"), slurp(path / "config.yaml"));
  const auto names = names_in(path / "checkpoints");
  EXPECT_GE(names.size(), 4u); // two checkpoints, latest, best
  EXPECT_EQ(names_in(copy / "checkpoints"), names);
  for (const std::string name : {"latest", "best"}) {
    EXPECT_EQ(
        std::filesystem::read_symlink(copy / "checkpoints" / name),
        std::filesystem::read_symlink(path / "checkpoints" / name));
  }
  expect_same_checkpoint(copy, path, 20);
  expect_same_checkpoint(copy, path, 30);
}

TEST_F(Mirror, ThatFailsIsOneWarning) {
  std::ofstream(folder_ / "mirror") << "a file";
  const Result result = run(tiny_run(output_, options({})));
  EXPECT_EQ(result.exit_code, 0) << result.err;
  const std::string said = result.out + result.err;
  const auto at = said.find("warning: checkpoint.mirror: ");
  ASSERT_NE(at, said.npos) << said;
  EXPECT_EQ(said.find("checkpoint.mirror", at + 20), said.npos) << said;
  EXPECT_THAT(saved_steps(newest_run(output_)), ElementsAre(10, 20, 30));
}

TEST_F(Mirror, ResumesFromTheNewestIntactCheckpointOfBoth) {
  const TempFolder other;
  const auto whole = train(other / "runs", kThirty);
  for (const bool lost : {false, true}) {
    std::filesystem::remove_all(output_);
    std::filesystem::remove_all(folder_ / "mirror");
    const Result stopped =
        run(tiny_run(output_, options({.set = {"run.stop_after=20st"}})));
    ASSERT_EQ(stopped.exit_code, 75) << stopped.err;
    const auto path = newest_run(output_);
    if (lost) {
      std::filesystem::remove_all(output_);
    } else {
      std::filesystem::resize_file(
          checkpoint(path, 20) / "model.safetensors", 100);
    }
    EXPECT_THAT(
        resume("auto", {}),
        AllOf(
            HasSubstr((mirror_of(path) / "checkpoints").native()),
            HasSubstr("continuing after step 20 ")));
    EXPECT_EQ(newest_run(output_), path);
    expect_same_checkpoint(path, whole, 30);
    expect_same_checkpoint(mirror_of(path), whole, 30);
  }
}

TEST_F(Mirror, LeavesABranchAsTheRunDoes) {
  const auto path = trained();
  resume(checkpoint(path, 10), {"run.max_steps=18"});
  for (const auto& run : {path, mirror_of(path)}) {
    const auto names = names_in(run / "checkpoints");
    EXPECT_TRUE(names.contains("step-000000018")) << run;
    EXPECT_FALSE(names.contains("step-000000020")) << run;
    EXPECT_EQ(
        std::filesystem::read_symlink(run / "checkpoints" / "latest"),
        "step-000000018");
    EXPECT_TRUE(std::filesystem::exists(
        checkpoint(run / "replaced-1", 30) / "manifest.json"));
  }
}

TEST_F(Mirror, IsAnotherFolder) {
  for (const std::string& place :
       {std::string("s3://bucket/runs"), output_.native()}) {
    const Result result = run(tiny_run(
        output_, kThirty.with({.set = {"checkpoint.mirror=" + place}})));
    EXPECT_EQ(result.exit_code, 2) << result.err;
    EXPECT_THAT(result.err, HasSubstr("checkpoint.mirror"));
  }
}

} // namespace
} // namespace vitrain::e2e
