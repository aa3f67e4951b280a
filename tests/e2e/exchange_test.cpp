// Options of dist.* in whole runs.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <csignal>
#include <iterator>
#include <regex>
#include <thread>

#include "program.h"

namespace vitrain::e2e {
namespace {

using testing::HasSubstr;
using testing::Not;

// Without it, with it, begun with it and continued without: the same bits.
TEST(Zero1, ChangesNeitherWeightsNorCheckpoints) {
  const TempFolder folder;
  const Options common{
      .devices = "cpu:3",
      .set = {
          "run.max_steps=12",
          "checkpoint.every=6st",
          "checkpoint.keep_last=9"}};
  const Options divided = common.with({.set = {"dist.zero1=true"}});
  const auto plain = train(folder / "plain", common);
  const auto zero1 = train(folder / "zero1", divided);
  expect_same_checkpoint(plain, zero1, 6);
  expect_same_checkpoint(plain, zero1, 12);
  expect_same_checkpoint(
      plain, resume_copy(zero1, folder / "without", common, 6), 12);
  expect_same_checkpoint(
      plain, resume_copy(plain, folder / "with", divided, 6), 12);
}

// Compression that starts in the fifth step, and resumes from a checkpoint.
class Compressed : public testing::TestWithParam<Words> {};

TEST_P(Compressed, ResumesExactlyAndSendsLess) {
  const TempFolder folder;
  const Options common{
      .devices = "cpu:2",
      .set = {
          "run.max_steps=16",
          "checkpoint.every=8st",
          "checkpoint.keep_last=9",
          "dist.check_every=1st",
          "eval.every=8st"}};
  const Options options = common.with({.set = GetParam()});
  const auto whole = train(folder / "whole", options);
  const auto trained = records(whole, "train");
  ASSERT_EQ(trained.size(), 16u);
  const auto bytes = [&](std::size_t step) {
    return trained[step].at("comm_bytes").get<std::int64_t>();
  };
  EXPECT_LT(2 * bytes(4), bytes(3));
  EXPECT_EQ(bytes(15), bytes(4));
  expect_same_checkpoint(
      whole, resume_copy(whole, folder / "part", options, 8), 16);
}

INSTANTIATE_TEST_SUITE_P(
    All,
    Compressed,
    testing::Values(
        Words{
            "dist.compress=powersgd",
            "dist.powersgd.rank=2",
            "dist.powersgd.start=4st"},
        Words{
            "dist.compress=topk",
            "dist.topk.start=4st",
            "dist.topk.warmup=0st",
            "dist.topk.momentum_correction=true",
            "optim.name=sgd",
            "optim.clip_norm=null"}));

// 13 samples in batches of 4 per worker: in the last step two workers of three
// have nothing, and still take part in the statistics.
TEST(BatchNorm, EveryKindOfStatisticsTrainsWithEmptyBatches) {
  for (const std::string statistics :
       {"local", "broadcast", "broadcast_average", "sync"}) {
    const TempFolder folder;
    const auto run_folder = train(
        folder / "runs",
        {.config = kTinyResNet,
         .devices = "cpu:3",
         .set = {
             "data.train.count=13",
             "data.batch_size=4",
             "data.sampler.last_batch=keep",
             "dist.check_every=1st",
             "dist.batchnorm=" + statistics}});
    const auto trained = records(run_folder, "train");
    ASSERT_EQ(trained.size(), 2u) << statistics;
    EXPECT_EQ(trained[1].at("count"), 1) << statistics;
    const Json evaluated = records(run_folder, "eval").back();
    EXPECT_EQ(evaluated.at("non_finite"), 0) << statistics;
  }
}

// Two epochs of three steps on two workers. Statistics are averaged at the ends
// of the epochs, whether something is evaluated or saved there or not, and
// evaluations and checkpoints in between change nothing of what follows.
TEST(BatchNorm, AveragesOfEpochsDoNotDependOnWhenRunsAreSaved) {
  const TempFolder folder;
  const auto statistics = [&](const std::string& mode,
                              const std::string& every) {
    const auto run_folder = train(
        folder / (mode + every),
        {.config = kTinyResNet,
         .devices = "cpu:2",
         .set = {
             "run.epochs=2",
             "data.batch_size=6",
             "checkpoint.every=" + every,
             "eval.every=" + every,
             "dist.batchnorm=" + mode}});
    std::string bytes;
    for (const auto& [name, tensor] :
         read_tensors(checkpoint(run_folder, 6) / "model.safetensors")) {
      bytes += name.ends_with("running_mean") ? tensor.bytes : "";
    }
    return bytes;
  };
  const std::string seldom = statistics("broadcast_average", "6st");
  EXPECT_EQ(statistics("broadcast_average", "1st"), seldom);
  EXPECT_NE(statistics("broadcast", "6st"), seldom);
  EXPECT_NE(statistics("local", "6st"), seldom);
}

// With synchronised statistics, 12 samples on one worker and on two give the
// same step.
TEST(BatchNorm, SynchronisedStatisticsMakeTheNumberOfWorkersIrrelevant) {
  const auto loss = [](const char* devices, const std::string& statistics) {
    const TempFolder folder;
    const auto run_folder = train(
        folder / "runs",
        {.config = kTinyResNet,
         .devices = devices,
         .set = {"data.batch_mode=global", "dist.batchnorm=" + statistics}});
    return losses(run_folder).back();
  };
  const double one = loss("cpu:1", "local");
  // fp32 sums in another order, over two updates; losses are of order 2 (the
  // difference measured is 6e-7).
  EXPECT_NEAR(loss("cpu:2", "sync"), one, 1e-4);
  EXPECT_GT(std::abs(loss("cpu:2", "local") - one), 1e-2);
}

TEST(Exchange, ItsCostIsInTheRecordsAndOnTheLine) {
  const TempFolder folder;
  const Options options{
      .set = {"run.max_steps=4", "schedule.warmup=0st", "log.progress=plain"}};
  const Result result =
      run(tiny_run(folder / "runs", options.with({.devices = "cpu:2"})));
  ASSERT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr("%  comm "));
  for (const Json& record : records(newest_run(folder / "runs"), "train")) {
    const double busy = record.at("comm_busy_seconds");
    const double waited = record.at("comm_seconds");
    const double step = record.at("step_seconds");
    EXPECT_GT(busy, 0.0);
    EXPECT_LT(busy, step);
    EXPECT_NEAR(record.at("comm_wait").get<double>(), waited / step, 1e-12);
  }
  const Result alone =
      run(tiny_run(folder / "alone", options.with({.devices = "cpu:1"})));
  EXPECT_EQ(alone.out.find("comm "), std::string::npos) << alone.out;
}

// A worker's waiting time is a part of its own interval: a pause of another
// worker, or checkpoints between two lines, used to give more than all of it
// (59 times).
TEST(Exchange, NeverTakesLongerThanItsSteps) {
  const TempFolder folder;
  Program program(tiny_run(
      folder / "runs",
      {.devices = "cpu:2",
       .set = {
           "run.epochs=1000",
           "run.max_steps=300",
           "eval.every=50st",
           "checkpoint.every=9st",
           "log.every=10"}}));
  const auto workers = training_workers(program, folder / "runs", 2);
  for (std::size_t i = 0; i < 6; ++i) {
    ::kill(workers.at(i % 2), SIGSTOP);
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    ::kill(workers.at(i % 2), SIGCONT);
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  const Result result = program.wait(120);
  ASSERT_EQ(result.exit_code, 0) << result.err;
  for (const Json& record : records(newest_run(folder / "runs"), "train")) {
    EXPECT_LE(record.at("comm_wait"), 1.0) << record;
    EXPECT_LE(record.at("comm_busy_seconds"), record.at("step_seconds"))
        << record;
    EXPECT_LE(record.at("data_wait"), 1.0) << record;
  }
}

// Each of them, in its own log: no two see the same samples.
TEST(Logs, EveryWorkerTellsOfItsOwnSteps) {
  const TempFolder folder;
  const Result result = run(tiny_run(
      folder / "runs",
      {.devices = "cpu:3",
       .set = {
           "run.max_steps=7",
           "schedule.warmup=0st",
           "log.every=3",
           "log.ranks=all"}}));
  ASSERT_EQ(result.exit_code, 0) << result.err;
  const auto run_folder = newest_run(folder / "runs");
  const Json global = records(run_folder, "train").at(1);
  double loss = 0.0;
  for (int rank = 0; rank < 3; ++rank) {
    const std::string log =
        slurp(run_folder / ("log/workerlog." + std::to_string(rank)));
    const std::string label = "worker " + std::to_string(rank) + "  epoch 1/";
    // Two steps after the first line, 16 samples each.
    const std::regex pattern(
        label +
        R"(\d+  batch 3/\d+  loss (\d+\.\d{4})  top1 \d+\.\d\d  samples 32  )"
        R"(img/s [\d,.]+  wait \d+\.\d%  comm [\d.]+ \w+ \d+\.\d%\n)");
    std::smatch match;
    ASSERT_TRUE(std::regex_search(log, match, pattern)) << log;
    loss += std::stod(match[1]) / 3;
    // On the terminal with the rank before it.
    EXPECT_THAT(
        result.out, HasSubstr("[rank " + std::to_string(rank) + "] " + label));
    // After the first, the third, the sixth and the last step.
    const std::regex any(label);
    EXPECT_EQ(
        std::distance(
            std::sregex_iterator(log.begin(), log.end(), any),
            std::sregex_iterator()),
        4)
        << log;
  }
  // The line has four digits.
  EXPECT_NEAR(loss, global.at("loss").get<double>(), 1e-4);
}

// Without log.ranks they are in the logs only, and one worker is all of them.
TEST(Logs, TheTerminalShowsAllWorkersTogether) {
  for (const std::string devices : {"cpu:1", "cpu:2"}) {
    const TempFolder folder;
    const Result result = run(tiny_run(
        folder / "runs",
        {.devices = devices,
         .set = {"run.max_steps=2", "schedule.warmup=0st"}}));
    ASSERT_EQ(result.exit_code, 0) << result.err;
    EXPECT_THAT(result.out, HasSubstr("epoch 1/"));
    EXPECT_THAT(result.out, Not(HasSubstr("worker 0  epoch")));
    const std::string log =
        slurp(newest_run(folder / "runs") / "log/workerlog.0");
    EXPECT_EQ(
        log.find("worker 0  epoch") != std::string::npos, devices == "cpu:2")
        << log;
  }
}

TEST(Exchange, WhatNeedsEqualReplicasIsRefusedWithoutThem) {
  const auto refusal = [](const Words& settings) {
    const TempFolder folder;
    const Result result = run(
        tiny_run(folder / "runs", {.devices = "cpu:2", .set = settings}), 20);
    EXPECT_EQ(result.exit_code, 2) << result.out;
    return result.err;
  };
  EXPECT_THAT(
      refusal({"dist.zero1=true", "dist.sync.mode=local_sgd"}),
      HasSubstr("dist.zero1: each device updates its share of weights"));
  EXPECT_THAT(
      refusal({"dist.sync_batchnorm=true", "dist.sync.mode=diloco"}),
      HasSubstr("dist.batchnorm: sync takes statistics over the batches"));
  EXPECT_THAT(
      refusal({"dist.find_unused_parameters=true"}),
      HasSubstr("not offered: a parameter that a step does not use"));
}

} // namespace
} // namespace vitrain::e2e
