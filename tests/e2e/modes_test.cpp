// The modes of dist.sync and the samplers in whole runs.

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>
#include <set>
#include <sstream>

#include "program.h"

namespace vitrain::e2e {
namespace {

using testing::HasSubstr;

struct Mode {
  std::string name;
  std::string workers;
  Words settings;
  bool repeatable = true; // two runs have the same bits
};

void PrintTo(const Mode& mode, std::ostream* out) {
  *out << mode.name;
}

Options options_of(const Mode& mode, const Words& more) {
  Options options{.devices = mode.workers};
  if (!mode.name.starts_with("single_process")) {
    // Text after two underscores names a variant.
    options.set = {
        "dist.sync.mode=" + mode.name.substr(0, mode.name.find("__"))};
  }
  return options.with({.set = mode.settings}).with({.set = more});
}

class SyncMode : public testing::TestWithParam<Mode> {};

// A checkpoint has everything that a mode needs to resume, and evaluations and
// checkpoints within a period use averaged weights.
TEST_P(SyncMode, AResumedRunEqualsAnUninterruptedOne) {
  const TempFolder folder;
  const auto common = options_of(
      GetParam(),
      {"run.max_steps=24",
       "run.epochs=3",
       "checkpoint.every=7st",
       "eval.every=7st",
       "checkpoint.keep_last=20"});
  const auto whole = train(folder / "whole", common);
  const auto part = resume_copy(whole, folder / "part", common, 14);
  EXPECT_EQ(records(part, "train").back().at("step"), 24);
  if (GetParam().repeatable) {
    expect_same_checkpoint(whole, part, 24);
  }
}

TEST_P(SyncMode, EvaluationInTrainingIsThatOfTheCheckpoint) {
  const TempFolder folder;
  const auto path =
      train(folder / "runs", options_of(GetParam(), {"run.max_steps=11"}));
  const Json in_training = records(path, "eval").back();
  const auto evaluated =
      train(folder / "eval", {.devices = "cpu:1", .evaluate = path});
  const Json alone = records(evaluated, "eval").back();
  for (const char* key : {"loss", "correct1", "correct5", "count"}) {
    EXPECT_EQ(alone.at(key), in_training.at(key)) << key;
  }
}

// 37 samples in batches of 12 per worker: in the last step some have less than
// a batch, or nothing.
TEST_P(SyncMode, TheLastBatchMayBeSmallerThanTheNumberOfWorkers) {
  const TempFolder folder;
  train(
      folder / "runs",
      options_of(
          GetParam(),
          {"data.train.count=37",
           "data.batch_size=12",
           "data.sampler.last_batch=keep",
           "schedule.warmup=0st"}));
}

INSTANTIATE_TEST_SUITE_P(
    All,
    SyncMode,
    testing::Values(
        Mode{"delayed_allreduce", "cpu:3", {}},
        Mode{"delayed_allreduce__predict", "cpu:3", {"dist.sync.predict=true"}},
        Mode{"local_sgd", "cpu:3", {"dist.sync.period=4"}},
        Mode{
            "post_local_sgd",
            "cpu:4",
            {"dist.sync.start=3st",
             "dist.sync.period=4",
             "dist.sync.group_size=2"}},
        Mode{
            "hierarchical_sgd",
            "cpu:4",
            {"dist.sync.periods=[2, 6]", "dist.sync.group_sizes=[2, -1]"}},
        Mode{"diloco", "cpu:2", {"dist.sync.period=4"}},
        Mode{
            "overlap_average",
            "cpu:2",
            {"dist.sync.period=5", "dist.sync.delay=3"}},
        Mode{"async_ps__alone", "cpu:1", {}},
        Mode{
            "async_ps__wait",
            "cpu:3",
            {"dist.sync.max_staleness=3", "dist.sync.servers=2"},
            /*repeatable=*/false},
        Mode{
            "async_ps__drop",
            "cpu:3",
            {"dist.sync.max_staleness=1", "dist.sync.on_stale=drop"},
            /*repeatable=*/false},
        Mode{
            "async_ps__predict",
            "cpu:3",
            {"dist.sync.servers=2", "dist.sync.predict=true"},
            /*repeatable=*/false},
        Mode{"hogwild__alone", "cpu:1", {}},
        Mode{"hogwild__three", "cpu:3", {}, /*repeatable=*/false},
        Mode{"single_process", "cpu:3", {"dist.mode=single_process"}}),
    [](const auto& test) { return test.param.name; });

// One process for all devices trains as one process per device does; 37 samples
// in steps of 36 leave one for the first of three replicas.
TEST(SingleProcess, LossesAreThoseOfProcesses) {
  const auto losses = [](const std::string& mode) {
    const TempFolder folder;
    const auto run_folder = train(
        folder / "runs",
        {.devices = "cpu:3",
         .set = {
             "dist.mode=" + mode,
             "model.dropout=0.1",
             "model.drop_path=0.1",
             "data.train.count=37",
             "data.batch_size=12",
             "data.sampler.last_batch=keep",
             "schedule.warmup=0st",
             "run.epochs=4"}});
    return records(run_folder, "train");
  };
  const auto processes = losses("processes");
  const auto single = losses("single_process");
  ASSERT_EQ(processes.size(), 8u);
  ASSERT_EQ(single.size(), 8u);
  for (std::size_t i = 0; i < single.size(); ++i) {
    EXPECT_EQ(single[i].at("samples_hash"), processes[i].at("samples_hash"));
    EXPECT_EQ(single[i].at("count"), processes[i].at("count"));
    // Sums of fp32 numbers in another order, over eight AdamW steps.
    EXPECT_NEAR(
        single[i].at("loss").get<double>(),
        processes[i].at("loss").get<double>(),
        1e-4)
        << i;
  }
}

// Whichever goes: rank 0 has the server and the rendezvous, rank 2 neither.
TEST(AsyncPs, ALostWorkerEndsTheRun) {
  for (const std::size_t lost : {0, 2}) {
    const TempFolder folder;
    Program program(tiny_run(
        folder / "runs",
        options_of({"async_ps", "cpu:3", {}}, {"run.epochs=1000"})));
    ::kill(training_workers(program, folder / "runs", 3).at(lost), SIGKILL);
    const Result result = program.wait(30);
    EXPECT_EQ(result.exit_code, 7) << result.err;
    EXPECT_THAT(result.err, HasSubstr("rank " + std::to_string(lost)));
  }
}

// The workers may be steps apart, and still agree on one.
TEST(AsyncPs, StopsAtOneStepAndGoesOn) {
  const TempFolder folder;
  const Mode mode{"async_ps", "cpu:3", {"dist.sync.max_staleness=4"}};
  Program program(
      tiny_run(folder / "runs", options_of(mode, {"run.epochs=30"})));
  ASSERT_TRUE(program.wait_for_record(folder / "runs", "train", 5, 60));
  program.signal(SIGTERM);
  const Result stopped = program.wait(60);
  ASSERT_EQ(stopped.exit_code, 75) << stopped.out << stopped.err;
  const auto path = newest_run(folder / "runs");
  const auto step =
      records(path, "train").back().at("step").get<std::int64_t>();
  const Options again = options_of(
      mode, {"run.epochs=30", fmt::format("run.max_steps={}", step + 3)});
  train(folder / "runs", again.with({.resume = path}));
  EXPECT_EQ(records(path, "train").back().at("step"), step + 3);
}

TEST(SyncModes, CompressionHalvesTheBytesOfAStep) {
  const auto bytes = [](const std::string& compress) {
    const TempFolder folder;
    const auto run_folder = train(
        folder / "runs",
        options_of(
            {"allreduce", "cpu:2", {}},
            {"run.max_steps=11", "dist.compress=" + compress}));
    const Json record = records(run_folder, "train").back();
    EXPECT_GE(record.at("comm_seconds").get<double>(), 0.0);
    EXPECT_LE(record.at("comm_wait").get<double>(), 1.0);
    return record.at("comm_bytes").get<std::int64_t>();
  };
  const std::int64_t plain = bytes("none");
  EXPECT_GT(plain, 4 * 10000); // parameters of the tiny model
  EXPECT_EQ(2 * bytes("bf16"), plain);
  EXPECT_EQ(2 * bytes("fp16"), plain);
}

TEST(SyncModes, WhatMakesNoSenseIsRefusedAtOnce) {
  const auto refusal = [](const Words& settings) {
    const TempFolder folder;
    const Result result = run(
        tiny_run(
            folder / "runs", options_of({"allreduce", "cpu:4", {}}, settings)),
        20);
    EXPECT_EQ(result.exit_code, 2) << result.out;
    EXPECT_LT(result.seconds, 5.0);
    return result.err;
  };
  EXPECT_THAT(
      refusal({"dist.sync.mode=overlap_average", "dist.sync.delay=8"}),
      HasSubstr("dist.sync.delay: 8 must be less than dist.sync.period: 8"));
  EXPECT_THAT(
      refusal({"dist.sync.mode=post_local_sgd", "dist.sync.group_size=3"}),
      HasSubstr(
          "groups of 3 do not divide 4 workers: expected one of 1, 2, 4"));
  EXPECT_THAT(
      refusal(
          {"dist.sync.mode=hierarchical_sgd", "dist.sync.group_sizes=[1, 2]"}),
      HasSubstr("it must be all 4 workers"));
  EXPECT_THAT(
      refusal({"dist.sync.mode=hierarchical_sgd", "dist.sync.periods=[2]"}),
      HasSubstr("has 2 levels, but dist.sync.periods has 1"));
  EXPECT_THAT(
      refusal({"dist.sync.mode=local_sgd", "dist.sync.period=0"}),
      HasSubstr("dist.sync.period"));
  EXPECT_THAT(
      refusal({"dist.sync.mode=diloco", "dist.compress=bf16"}),
      HasSubstr("dist.compress: is for gradients"));
  EXPECT_THAT(refusal({"dist.sync.mode=async"}), HasSubstr("dist.sync.mode"));
  EXPECT_THAT(
      refusal({"dist.sync.mode=async_ps", "dist.sync.max_staleness=-1"}),
      HasSubstr("dist.sync.max_staleness"));
  EXPECT_THAT(
      refusal({"dist.sync.mode=async_ps", "dist.sync.servers=5"}),
      HasSubstr("dist.sync.servers: 5"));
  EXPECT_THAT(
      refusal({"dist.sync.mode=local_sgd", "dist.mode=single_process"}),
      HasSubstr("nobody to exchange with"));
}

TEST(SyncModes, HierarchicalSgdRunsOnOneWorker) {
  const TempFolder folder;
  train(
      folder / "runs",
      options_of({"hierarchical_sgd", "cpu:1", {}}, {"run.max_steps=11"}));
}

// The first step of a run, and the first one after a resume, update nothing:
// their rows have no norm, or the norm of the last update, as in an
// uninterrupted run.
TEST(SyncModes, NormsOfDelayedGradientsSurviveAResume) {
  const TempFolder folder;
  const Options options = options_of(
      {"delayed_allreduce", "cpu:2", {}},
      {"run.max_steps=11",
       "log.every=1",
       "checkpoint.every=4st",
       "checkpoint.keep_last=9"});
  const auto norms = [](const std::filesystem::path& path) {
    std::vector<Json> all;
    for (const Json& record : records(path, "train")) {
      all.push_back(record.at("grad_norm"));
    }
    return all;
  };
  const auto whole = train(folder / "whole", options);
  const auto expected = norms(whole);
  ASSERT_EQ(expected.size(), 11u);
  EXPECT_TRUE(expected.front().is_null());
  for (std::size_t i = 1; i < expected.size(); ++i) {
    EXPECT_GT(expected[i].get<double>(), 0.0) << i;
  }
  for (const int step : {4, 8}) {
    const auto copy =
        resume_copy(whole, folder / std::to_string(step), options, step);
    EXPECT_EQ(norms(copy), expected) << step;
  }
}

// A delayed exchange overlaps with the next step, and its time is measured.
TEST(SyncModes, DelayedGradientsAreMeasured) {
  const TempFolder folder;
  const auto run_folder = train(
      folder / "runs",
      options_of({"delayed_allreduce", "cpu:2", {}}, {"run.max_steps=11"}));
  const Json record = records(run_folder, "train").back();
  EXPECT_GT(record.at("comm_busy_seconds").get<double>(), 0.0);
}

// One worker's updates are never stale; those of three workers are within the
// limit.
TEST(SyncModes, StalenessIsRecorded) {
  for (const std::string mode : {"async_ps", "hogwild"}) {
    for (const std::string workers : {"cpu:1", "cpu:3"}) {
      const TempFolder folder;
      const Result result = run(tiny_run(
          folder / "runs",
          options_of(
              {mode, workers, {}},
              {"run.max_steps=12",
               "schedule.warmup=0st",
               "log.every=4",
               "dist.sync.max_staleness=5"})));
      ASSERT_EQ(result.exit_code, 0) << result.err;
      EXPECT_THAT(result.out, HasSubstr("  stale "));
      const auto last = records(newest_run(folder / "runs"), "train").back();
      const double mean = last.at("staleness_mean");
      const std::int64_t largest = last.at("staleness_largest");
      EXPECT_LE(mean, static_cast<double>(largest)) << last;
      if (workers == "cpu:1") {
        EXPECT_EQ(largest, 0) << last;
      } else if (mode == "async_ps") {
        EXPECT_LE(largest, 5) << last;
      }
    }
  }
  const TempFolder folder;
  train(
      folder / "runs",
      options_of({"allreduce", "cpu:2", {}}, {"run.max_steps=11"}));
  EXPECT_FALSE(records(newest_run(folder / "runs"), "train")
                   .back()
                   .contains("staleness_mean"));
}

// Notes at the start, also of a dry run.
TEST(Notes, AreToldBeforeTheStart) {
  const TempFolder folder;
  const Result result = run(tiny_run(
      folder / "runs",
      {.set =
           {"dist.sync.period=3",
            "optim.lr=5e-6",
            "eval.every=3st",
            "dist.batchnorm=sync"},
       .more = {"-dry_run"}}));
  ASSERT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(
      result.out,
      AllOf(
          HasSubstr("-set #1: dist.sync.period: has no effect: it needs "
                    "dist.sync.mode"),
          HasSubstr("the learning rate rises"),
          HasSubstr("the best evaluation may have none"),
          // A ViT has none.
          Not(HasSubstr("batchnorm sync"))));
}

// Returns the lines of `data order`.
std::vector<std::vector<std::int64_t>> order(const Options& options) {
  Words arguments = options.words();
  arguments.insert(arguments.begin(), {"data", "order"});
  const Result result = run(arguments, 20);
  EXPECT_EQ(result.exit_code, 0) << result.err;
  std::vector<std::vector<std::int64_t>> lines;
  std::istringstream text(result.out);
  for (std::string line; std::getline(text, line);) {
    std::istringstream numbers(line);
    lines.emplace_back();
    for (std::int64_t i = 0; numbers >> i;) {
      lines.back().push_back(i);
    }
  }
  return lines;
}

// Every batch has a line, so that lines identify ranks.
TEST(DataOrder, AnEmptyBatchIsAnEmptyLine) {
  const auto lines = order(
      {.set =
           {"data.sampler.policy=sequential",
            "data.sampler.last_batch=keep",
            "data.train.count=29",
            "data.batch_size=4"},
       .more = {"-world", "3"}});
  ASSERT_EQ(lines.size(), 9u);
  EXPECT_EQ(lines[7], std::vector<std::int64_t>{28});
  EXPECT_TRUE(lines[8].empty());
}

TEST(DataOrder, ListsTheBatchesOfOneWorkerOrOfAll) {
  const Options torch{
      .set = {
          "data.sampler.policy=torch",
          "data.sampler.shuffle=false",
          "data.train.count=23",
          "data.batch_size=3",
          "data.sampler.last_batch=keep"}};
  const auto one =
      torch.with({.more = {"--world", "4", "--rank", "3", "--epoch", "2"}});
  // Every fourth from 3; 23 is padded with 0.
  EXPECT_EQ(
      order(one),
      (std::vector<std::vector<std::int64_t>>{{3, 7, 11}, {15, 19, 0}}));
  EXPECT_EQ(order(torch.with({.more = {"-world=4"}})).size(), 8u);
  // As many workers as training would start.
  EXPECT_EQ(order(torch.with({.devices = "cpu:2"})).size(), 8u);
}

TEST(DataOrder, MistakesAreNamed) {
  const Result beyond =
      run({"data", "order", "-cfg", kTiny, "-world", "3", "-rank", "3"}, 20);
  EXPECT_EQ(beyond.exit_code, 2);
  EXPECT_THAT(beyond.err, HasSubstr("of 3 workers the last one is 2"));
  const Result none = run({"data", "order", "-cfg", kTiny, "-world", "0"}, 20);
  EXPECT_EQ(none.exit_code, 2);
  EXPECT_THAT(none.err, HasSubstr("-world: expected integer >= 1, got 0"));
}

TEST(Samplers, EveryPolicyTrains) {
  for (const std::string policy :
       {"torch", "paddle", "shard_then_shuffle", "repeated", "weighted"}) {
    const TempFolder folder;
    const Result result =
        run(tiny_run(
                folder / "runs",
                {.devices = "cpu:2",
                 .set =
                     {"data.sampler.policy=" + policy,
                      "run.max_steps=12",
                      "data.train.count=200",
                      "data.sampler.last_batch=keep"}}),
            60);
    EXPECT_EQ(result.exit_code, 0) << policy << result.out << result.err;
    if (policy == "weighted" || policy == "repeated") {
      EXPECT_THAT(result.out, HasSubstr("an epoch has ")) << policy;
    }
  }
}

} // namespace
} // namespace vitrain::e2e
