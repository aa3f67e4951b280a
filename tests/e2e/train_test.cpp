// The real binary, on real processes and generated data.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "program.h"

namespace vitrain::e2e {
namespace {

using testing::HasSubstr;
using testing::Not;

std::vector<double> losses(const std::filesystem::path& run) {
  std::vector<double> values;
  for (const Json& record : records(run, "train")) {
    values.push_back(record.at("loss"));
  }
  return values;
}

TEST(Train, LeavesACompleteRunFolder) {
  const TempFolder folder;
  const Result result = run(tiny_run(folder / "runs", {"-devices", "cpu:2"}));
  ASSERT_EQ(result.exit_code, 0) << result.out << result.err;
  const auto path = newest_run(folder / "runs");
  for (const char* name :
       {"config.yaml",
        "environment.json",
        "metrics.jsonl",
        "summary.csv",
        "log/workerlog.0",
        "log/workerlog.1",
        "checkpoints/latest",
        "checkpoints/best",
        "checkpoints/step-000000040/manifest.json",
        "checkpoints/step-000000040/model.safetensors",
        "checkpoints/step-000000040/optimizer.safetensors"}) {
    EXPECT_TRUE(std::filesystem::exists(path / name)) << name;
  }
  EXPECT_EQ(records(path, "start").size(), 1u);
  EXPECT_EQ(records(path, "train").size(), 40u);
  EXPECT_EQ(records(path, "eval").size(), 2u);
  ASSERT_EQ(records(path, "done").size(), 1u);
  EXPECT_EQ(records(path, "done")[0].at("exit"), 0);
  EXPECT_EQ(records(path, "eval")[1].at("count"), 101);
  // Not a terminal: plain lines only.
  EXPECT_THAT(result.out, Not(HasSubstr("\r")));
  EXPECT_THAT(result.out, Not(HasSubstr("\x1b")));
  EXPECT_THAT(result.out, HasSubstr("16 x 2 workers"));
  EXPECT_THAT(result.out, HasSubstr("done: top1"));
  EXPECT_THAT(result.err, testing::IsEmpty());
  EXPECT_TRUE(Json::accept(slurp(path / "environment.json")));
}

TEST(Train, TwoWorkersEqualOne) {
  const TempFolder folder;
  const std::vector<std::string> common{
      "-set",
      "run.max_steps=50",
      "-set",
      "run.epochs=10",
      "-set",
      "data.batch_mode=global",
      "-set",
      "data.batch_size=64",
      "-set",
      "optim.lr=1e-3",
      "-set",
      "model.drop_path=0.1"};
  auto one = common;
  one.insert(one.end(), {"-devices", "cpu:1"});
  auto two = common;
  two.insert(two.end(), {"-devices", "cpu:2"});
  ASSERT_EQ(run(tiny_run(folder / "one", one)).exit_code, 0);
  ASSERT_EQ(run(tiny_run(folder / "two", two)).exit_code, 0);
  const auto a = records(newest_run(folder / "one"), "train");
  const auto b = records(newest_run(folder / "two"), "train");
  ASSERT_EQ(a.size(), 50u);
  ASSERT_EQ(b.size(), 50u);
  for (std::size_t i = 0; i < a.size(); ++i) {
    const double x = a[i].at("loss");
    const double y = b[i].at("loss");
    EXPECT_LE(std::abs(x - y), 1e-4 * std::abs(x)) << "step " << i + 1;
    EXPECT_EQ(a[i].at("samples_hash"), b[i].at("samples_hash"));
    EXPECT_EQ(a[i].at("count"), 64);
  }
}

// 203 samples whose epoch three workers begin and two end: each comes as often
// as if the three had gone on.
TEST(Train, AnEpochGoesOnWithOtherWorkers) {
  const TempFolder folder;
  const std::vector<std::string> recipe{
      "-set",
      "run.epochs=1",
      "-set",
      "data.train.count=203",
      "-set",
      "data.batch_mode=global",
      "-set",
      "data.batch_size=12",
      "-set",
      "data.sampler.policy=shard_then_shuffle",
      "-set",
      "data.sampler.last_batch=keep",
      "-set",
      "checkpoint.every=5st",
      "-set",
      "checkpoint.keep_last=9"};
  auto three = recipe;
  three.insert(three.end(), {"-devices", "cpu:3"});
  ASSERT_EQ(run(tiny_run(folder / "runs", three)).exit_code, 0);
  const auto path = newest_run(folder / "runs");
  const auto whole = records(path, "train");
  ASSERT_EQ(whole.size(), 17u);
  auto two = recipe;
  two.insert(
      two.end(),
      {"-devices",
       "cpu:2",
       "-resume",
       (path / "checkpoints" / "step-000000005").native()});
  const Result resumed = run(tiny_run(folder / "runs", two));
  ASSERT_EQ(resumed.exit_code, 0) << resumed.err;
  EXPECT_THAT(
      resumed.out + resumed.err, HasSubstr("epoch 1 was begun by 3 workers"));
  const auto spliced = records(path, "train");
  ASSERT_EQ(spliced.size(), 17u);
  for (std::size_t i = 0; i < whole.size(); ++i) {
    EXPECT_EQ(spliced[i].at("samples_hash"), whole[i].at("samples_hash"))
        << "step " << i + 1;
    const double x = whole[i].at("loss");
    const double y = spliced[i].at("loss");
    EXPECT_LE(std::abs(x - y), 1e-4 * std::abs(x)) << "step " << i + 1;
  }
}

TEST(Train, AccumulationEqualsTheLargeBatch) {
  const TempFolder folder;
  const std::vector<std::string> common{
      "-devices", "cpu:2", "-set", "run.max_steps=20"};
  auto large = common;
  large.insert(large.end(), {"-set", "data.batch_size=16"});
  auto small = common;
  small.insert(
      small.end(), {"-set", "data.batch_size=4", "-set", "train.accumulate=4"});
  ASSERT_EQ(run(tiny_run(folder / "large", large)).exit_code, 0);
  ASSERT_EQ(run(tiny_run(folder / "small", small)).exit_code, 0);
  const auto a = losses(newest_run(folder / "large"));
  const auto b = losses(newest_run(folder / "small"));
  ASSERT_EQ(a.size(), b.size());
  for (std::size_t i = 0; i < a.size(); ++i) {
    EXPECT_LE(std::abs(a[i] - b[i]), 1e-4 * a[i]) << "step " << i + 1;
  }
}

TEST(Train, AKeptLastBatchLeavesAWorkerWithoutSamples) {
  const TempFolder folder;
  // 37 samples, 16 x 3: the second step of an epoch has none; 3 workers take
  // 16, 16 and 5 in the only step; with 12 each: 12, 1, 0 in the second.
  const Result result = run(tiny_run(
      folder / "runs",
      {"-devices",
       "cpu:3",
       "-set",
       "data.train.count=37",
       "-set",
       "data.batch_size=8",
       "-set",
       "data.sampler.last_batch=keep",
       "-set",
       "run.epochs=6"}));
  ASSERT_EQ(result.exit_code, 0) << result.out << result.err;
  const auto trains = records(newest_run(folder / "runs"), "train");
  ASSERT_EQ(trains.size(), 12u);
  for (std::size_t i = 0; i < trains.size(); ++i) {
    EXPECT_EQ(trains[i].at("count"), i % 2 == 0 ? 24 : 13);
  }
}

TEST(Train, BatchNormStatisticsAreAveragedOverTheWorkers) {
  const TempFolder folder;
  const Result result =
      run(tiny_run(folder / "runs", {"-devices", "cpu:2",
                                     "-set",     "model.name=resnet18",
                                     "-set",     "model.patch_size=auto",
                                     "-set",     "model.embed_dim=auto",
                                     "-set",     "model.depth=auto",
                                     "-set",     "model.num_heads=auto",
                                     "-set",     "model.image_size=32",
                                     "-set",     "optim.name=sgd",
                                     "-set",     "optim.nesterov=true",
                                     "-set",     "run.max_steps=4",
                                     "-set",     "schedule.warmup=0st",
                                     "-set",     "data.batch_size=4"}),
          120);
  ASSERT_EQ(result.exit_code, 0) << result.out << result.err;
  const auto run_folder = newest_run(folder / "runs");
  // Evaluating the checkpoint gives what training saw: the statistics in it
  // are those that all workers evaluated with.
  const Result again =
      run({"-eval",
           "-cfg",
           (run_folder / "config.yaml").native(),
           "-pretrained",
           run_folder.native(),
           "-output",
           (folder / "again").native(),
           "-devices",
           "cpu:1"},
          120);
  ASSERT_EQ(again.exit_code, 0) << again.out << again.err;
  const Json first = records(run_folder, "eval").back();
  const Json second = records(newest_run(folder / "again"), "eval").back();
  EXPECT_EQ(first.at("correct1"), second.at("correct1"));
  EXPECT_EQ(first.at("loss"), second.at("loss"));
}

TEST(Eval, IsBitEqualOnOneTwoAndThreeWorkers) {
  const TempFolder folder;
  ASSERT_EQ(run(tiny_run(folder / "runs", {"-devices", "cpu:2"})).exit_code, 0);
  const auto trained = newest_run(folder / "runs");
  for (const int samples : {1, 2, 3, 15, 16, 17, 49, 101}) {
    Json first;
    for (const int workers : {1, 2, 3}) {
      const auto output = folder /
          ("eval-" + std::to_string(samples) + "-" + std::to_string(workers));
      const Result result = run(
          {"-eval",
           "-cfg",
           (trained / "config.yaml").native(),
           "-pretrained",
           trained.native(),
           "-output",
           output.native(),
           "-devices",
           "cpu:" + std::to_string(workers),
           "-set",
           "data.eval.count=" + std::to_string(samples)});
      ASSERT_EQ(result.exit_code, 0) << result.out << result.err;
      const Json record = records(newest_run(output), "eval").at(0);
      EXPECT_EQ(record.at("count"), samples);
      if (workers == 1) {
        first = record;
      }
      for (const char* key : {"loss", "correct1", "correct5"}) {
        EXPECT_EQ(record.at(key), first.at(key))
            << key << ", " << samples << " samples on " << workers;
      }
    }
  }
}

// 53 images in batches of 7, on networks wide enough that operators use all the
// threads they have.
TEST(Eval, IsBitEqualOnAnyNumberOfThreads) {
  const TempFolder folder;
  for (const std::string model : {"vit", "resnet"}) {
    std::vector<std::string> common{
        "-set", "run.max_steps=2", "-set", "schedule.warmup=0st"};
    if (model == "resnet") {
      common.insert(
          common.end(),
          {"-cfg",
           VITRAIN_SOURCE_DIR "/tests/e2e/files/tiny_resnet.yaml",
           "-set",
           "data.eval.count=53",
           "-set",
           "data.eval_batch_size=7"});
    } else {
      common.insert(
          common.end(),
          {"-image_size",
           "32",
           "-set",
           "data.eval.count=53",
           "-set",
           "data.eval.size=32",
           "-set",
           "data.train.size=32",
           "-set",
           "model.patch_size=4",
           "-set",
           "model.embed_dim=192",
           "-set",
           "model.num_heads=3",
           "-set",
           "data.eval_batch_size=7"});
    }
    ASSERT_EQ(run(tiny_run(folder / model, common), 120).exit_code, 0);
    const auto trained = newest_run(folder / model);
    Json first;
    for (const auto& [workers, threads] :
         {std::pair("1", "2"), {"2", "1"}, {"3", "2"}}) {
      const auto output = folder / (model + workers + threads);
      const Result result = run(Command{
          .words =
              {binary(),
               "-eval",
               "-cfg",
               (trained / "config.yaml").native(),
               "-pretrained",
               trained.native(),
               "-output",
               output.native(),
               "-devices",
               std::string("cpu:") + workers},
          .environment = {{"OMP_NUM_THREADS", threads}}});
      ASSERT_EQ(result.exit_code, 0) << result.out << result.err;
      const Json record = records(newest_run(output), "eval").at(0);
      if (first.is_null()) {
        first = record;
      }
      for (const char* key : {"count", "loss", "correct1", "correct5"}) {
        EXPECT_EQ(record.at(key), first.at(key))
            << key << ", " << model << ", " << workers << " workers with "
            << threads << " threads";
      }
      EXPECT_EQ(record.at("count"), 53);
      EXPECT_EQ(record.at("precision"), "fp32");
    }
  }
}

// bf16 is for training, unless asked for.
TEST(Eval, IsFp32UnlessAskedFor) {
  const TempFolder folder;
  const auto run_with = [&](const std::string& name, const std::string& value) {
    const Result result = run(tiny_run(
        folder / name,
        {"-set",
         "train.precision=auto",
         "-set",
         "eval.precision=" + value,
         "-set",
         "run.max_steps=2",
         "-set",
         "schedule.warmup=0st"}));
    EXPECT_EQ(result.exit_code, 0) << result.err;
    return newest_run(folder / name);
  };
  const Json start = records(run_with("fp32", "fp32"), "start").at(0);
  EXPECT_EQ(start.at("eval_precision"), "fp32");
  const auto follows = run_with("auto", "auto");
  EXPECT_EQ(
      records(follows, "start").at(0).at("eval_precision"),
      start.at("precision"));
  EXPECT_EQ(
      records(follows, "eval").at(0).at("precision"), start.at("precision"));
  // The weights of a run that trains in bf16 are evaluated as published.
  const Result alone = run(tiny_run(
      folder / "alone",
      {"-eval",
       "-pretrained",
       follows.native(),
       "-set",
       "train.precision=auto"}));
  ASSERT_EQ(alone.exit_code, 0) << alone.err;
  const auto evaluated = newest_run(folder / "alone");
  EXPECT_EQ(records(evaluated, "start").at(0).at("precision"), "fp32");
  EXPECT_THAT(alone.out, HasSubstr("fp32 (eval.precision)"));
  // On a CPU that has bf16 the two differ, and the banner says so.
  if (start.at("precision") == "bf16") {
    const auto loss = [](const std::filesystem::path& run) {
      return records(run, "eval").at(0).at("loss").get<double>();
    };
    EXPECT_NE(loss(follows), loss(evaluated));
  }
}

TEST(Eval, NeedsWeights) {
  const TempFolder folder;
  const Result result = run(tiny_run(folder / "runs", {"-eval"}));
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_THAT(result.err, HasSubstr("-pretrained"));
  const Result missing =
      run(tiny_run(folder / "runs", {"-eval", "-pretrained", "/no/such"}));
  EXPECT_EQ(missing.exit_code, 4);
  EXPECT_THAT(missing.err, HasSubstr("/no/such: no such file or folder"));
  const Result pickle =
      run(tiny_run(folder / "runs", {"-eval", "-pretrained", "w.pth"}));
  EXPECT_EQ(pickle.exit_code, 2);
  EXPECT_THAT(pickle.err, HasSubstr("safetensors.torch.save_file"));
  EXPECT_FALSE(std::filesystem::exists(folder / "runs"));
}

TEST(Train, DivergenceEndsWithFiveAndSaysWhere) {
  const TempFolder folder;
  const Result result = run(tiny_run(
      folder / "runs",
      {"-devices",
       "cpu:2",
       "-set",
       "optim.name=sgd",
       "-set",
       "optim.lr=1e30",
       "-set",
       "optim.clip_norm=null",
       "-set",
       "schedule.warmup=0st"}));
  EXPECT_EQ(result.exit_code, 5) << result.out << result.err;
  EXPECT_THAT(result.err, HasSubstr("gradient norm"));
  EXPECT_THAT(result.err, HasSubstr("step"));
  EXPECT_THAT(result.err, HasSubstr("; there is no checkpoint yet. Try"));
}

TEST(Train, DryRunTouchesNoDisk) {
  const TempFolder folder;
  const Result result =
      run(tiny_run(folder / "runs", {"-devices", "cpu:2", "-dry_run"}));
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr("parameters"));
  EXPECT_FALSE(std::filesystem::exists(folder / "runs"));
}

} // namespace
} // namespace vitrain::e2e
