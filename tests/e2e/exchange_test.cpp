// What dist.* adds to an all-reduce, in whole runs.

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

using Settings = std::vector<std::string>;

std::vector<std::string> arguments_of(
    const std::string& devices,
    const Settings& settings) {
  std::vector<std::string> arguments{"-devices", devices};
  for (const std::string& setting : settings) {
    arguments.insert(arguments.end(), {"-set", setting});
  }
  return arguments;
}

constexpr const char* kResNet =
    VITRAIN_SOURCE_DIR "/tests/e2e/files/tiny_resnet.yaml";

// Trains below `folder`; returns the run's folder.
std::filesystem::path train(
    const std::filesystem::path& folder,
    const std::string& devices,
    const Settings& settings,
    const std::filesystem::path& resume = {},
    const std::string& config = "") {
  auto arguments = arguments_of(devices, settings);
  if (!config.empty()) {
    arguments.insert(arguments.end(), {"-cfg", config});
  }
  if (!resume.empty()) {
    arguments.insert(arguments.end(), {"-resume", resume.native()});
  }
  const Result result = run(tiny_run(folder, arguments), 120);
  EXPECT_EQ(result.exit_code, 0) << result.out << result.err;
  return newest_run(folder);
}

void expect_same_checkpoint(
    const std::filesystem::path& one,
    const std::filesystem::path& other,
    const std::string& step) {
  for (const char* file : {"model.safetensors", "optimizer.safetensors"}) {
    const auto name = std::filesystem::path("checkpoints") / step / file;
    EXPECT_EQ(slurp(one / name), slurp(other / name)) << file;
  }
}

// Without it, with it, begun with it and continued without: the same bits.
TEST(Zero1, ChangesNeitherWeightsNorCheckpoints) {
  const TempFolder folder;
  const Settings common{
      "run.max_steps=12", "checkpoint.every=6st", "checkpoint.keep_last=9"};
  auto divided = common;
  divided.push_back("dist.zero1=true");
  const auto plain = train(folder / "plain", "cpu:3", common);
  const auto zero1 = train(folder / "zero1", "cpu:3", divided);
  expect_same_checkpoint(plain, zero1, "step-000000006");
  expect_same_checkpoint(plain, zero1, "step-000000012");
  for (const auto& [from, settings] :
       {std::pair(zero1, common), std::pair(plain, divided)}) {
    const auto copy = copy_until(from, folder / "again", "step-000000006");
    train(
        folder / "again",
        "cpu:3",
        settings,
        copy / "checkpoints" / "step-000000006");
    expect_same_checkpoint(plain, copy, "step-000000012");
    std::filesystem::remove_all(folder / "again");
  }
}

TEST(PowerSgd, ResumesExactlyAndSendsLess) {
  const TempFolder folder;
  const Settings settings{
      "run.max_steps=16",
      "checkpoint.every=8st",
      "checkpoint.keep_last=9",
      "eval.every=8st",
      "dist.compress=powersgd",
      "dist.powersgd.rank=2",
      "dist.powersgd.start=4st"};
  const auto whole = train(folder / "whole", "cpu:2", settings);
  const auto trained = records(whole, "train");
  ASSERT_EQ(trained.size(), 16u);
  const auto bytes = [&](std::size_t step) {
    return trained[step].at("comm_bytes").get<std::int64_t>();
  };
  EXPECT_LT(2 * bytes(4), bytes(3));
  EXPECT_EQ(bytes(15), bytes(4));
  const auto copy = copy_until(whole, folder / "part", "step-000000008");
  train(
      folder / "part",
      "cpu:2",
      settings,
      copy / "checkpoints" / "step-000000008");
  expect_same_checkpoint(whole, copy, "step-000000016");
}

// 13 samples in batches of 4 per worker: in the last step two workers of three
// have nothing, and still take part in the statistics.
TEST(BatchNorm, EveryKindOfStatisticsTrainsWithEmptyBatches) {
  for (const char* statistics : {"local", "broadcast", "sync"}) {
    const TempFolder folder;
    const auto run_folder = train(
        folder / "runs",
        "cpu:3",
        {"data.train.count=13",
         "data.batch_size=4",
         "data.sampler.last_batch=keep",
         "dist.check_every=1st",
         std::string("dist.batchnorm=") + statistics},
        /*resume=*/{},
        kResNet);
    const auto trained = records(run_folder, "train");
    ASSERT_EQ(trained.size(), 2u) << statistics;
    EXPECT_EQ(trained[1].at("count"), 1) << statistics;
    const Json evaluated = records(run_folder, "eval").back();
    EXPECT_EQ(evaluated.at("non_finite"), 0) << statistics;
  }
}

// 12 samples on one worker and on two are the same step, when statistics are
// those of all of them.
TEST(BatchNorm, SynchronisedStatisticsMakeTheNumberOfWorkersIrrelevant) {
  const auto loss = [](const char* devices, const char* statistics) {
    const TempFolder folder;
    const auto run_folder = train(
        folder / "runs",
        devices,
        {"data.batch_mode=global", std::string("dist.batchnorm=") + statistics},
        /*resume=*/{},
        kResNet);
    return records(run_folder, "train").back().at("loss").get<double>();
  };
  const double one = loss("cpu:1", "local");
  // fp32 sums in another order, over two updates; losses are of order 2 (the
  // difference measured is 6e-7).
  EXPECT_NEAR(loss("cpu:2", "sync"), one, 1e-4);
  EXPECT_GT(std::abs(loss("cpu:2", "local") - one), 1e-2);
}

TEST(Exchange, ItsCostIsInTheRecordsAndOnTheLine) {
  const TempFolder folder;
  const Result result =
      run(tiny_run(
              folder / "runs",
              arguments_of(
                  "cpu:2",
                  {"run.max_steps=4",
                   "schedule.warmup=0st",
                   "log.progress=plain"})),
          60);
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
      run(tiny_run(
              folder / "alone",
              arguments_of(
                  "cpu:1",
                  {"run.max_steps=4",
                   "schedule.warmup=0st",
                   "log.progress=plain"})),
          60);
  EXPECT_EQ(alone.out.find("comm "), std::string::npos) << alone.out;
}

// What a worker waited for is a part of its own time: a pause of one of them,
// and checkpoints between two lines, made more than all of it (59 times).
TEST(Exchange, NeverTakesLongerThanItsSteps) {
  const TempFolder folder;
  Program program(tiny_run(
      folder / "runs",
      arguments_of(
          "cpu:2",
          {"run.epochs=1000",
           "run.max_steps=300",
           "eval.every=50st",
           "checkpoint.every=9st",
           "log.every=10"})));
  ASSERT_TRUE(program.wait_for_record(folder / "runs", "train", 3, 60));
  const std::vector<pid_t> workers = program.workers();
  ASSERT_EQ(workers.size(), 2u);
  for (int i = 0; i < 6; ++i) {
    ::kill(workers[static_cast<std::size_t>(i % 2)], SIGSTOP);
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    ::kill(workers[static_cast<std::size_t>(i % 2)], SIGCONT);
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
  const Result result =
      run(tiny_run(
              folder / "runs",
              arguments_of(
                  "cpu:3",
                  {"run.max_steps=7",
                   "schedule.warmup=0st",
                   "log.every=3",
                   "log.ranks=all"})),
          60);
  ASSERT_EQ(result.exit_code, 0) << result.err;
  const auto run_folder = newest_run(folder / "runs");
  const Json global = records(run_folder, "train").at(1);
  double loss = 0.0;
  for (int rank = 0; rank < 3; ++rank) {
    const std::string log =
        slurp(run_folder / ("log/workerlog." + std::to_string(rank)));
    const std::string label = "worker " + std::to_string(rank) + "  epoch 1/";
    // The two steps since that of the first line, 16 samples each.
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
  for (const char* devices : {"cpu:1", "cpu:2"}) {
    const TempFolder folder;
    const Result result = run(
        tiny_run(
            folder / "runs",
            arguments_of(devices, {"run.max_steps=2", "schedule.warmup=0st"})),
        60);
    ASSERT_EQ(result.exit_code, 0) << result.err;
    EXPECT_THAT(result.out, HasSubstr("epoch 1/"));
    EXPECT_THAT(result.out, Not(HasSubstr("worker 0  epoch")));
    const std::string log =
        slurp(newest_run(folder / "runs") / "log/workerlog.0");
    EXPECT_EQ(
        log.find("worker 0  epoch") != std::string::npos,
        std::string(devices) == "cpu:2")
        << log;
  }
}

TEST(Exchange, WhatNeedsEqualReplicasIsRefusedWithoutThem) {
  const auto refusal = [](const Settings& settings) {
    const TempFolder folder;
    const Result result =
        run(tiny_run(folder / "runs", arguments_of("cpu:2", settings)), 20);
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
