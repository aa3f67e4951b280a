// The real binary, on real processes and generated data.

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "program.h"

namespace vitrain::e2e {
namespace {

using testing::HasSubstr;
using testing::Not;

TEST(Train, LeavesACompleteRunFolder) {
  const TempFolder folder;
  const Result result = run(tiny_run(folder / "runs", {.devices = "cpu:2"}));
  ASSERT_EQ(result.exit_code, 0) << result.out << result.err;
  const auto path = newest_run(folder / "runs");
  for (const char* name :
       {"config.yaml",
        "environment.json",
        "metrics.jsonl",
        "summary.csv",
        "samples.png",
        "log/workerlog.0",
        "log/workerlog.1",
        "checkpoints/latest/manifest.json",
        "checkpoints/best/model.safetensors",
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
  const Options common{
      .set = {
          "run.max_steps=50",
          "run.epochs=10",
          "data.batch_mode=global",
          "data.batch_size=64",
          "optim.lr=1e-3",
          "model.drop_path=0.1"}};
  const auto a = train(folder / "one", common.with({.devices = "cpu:1"}));
  const auto b = train(folder / "two", common.with({.devices = "cpu:2"}));
  EXPECT_EQ(losses(a).size(), 50u);
  expect_same_training(a, b, 1e-4);
  for (const Json& record : records(a, "train")) {
    EXPECT_EQ(record.at("count"), 64);
  }
}

// 203 samples whose epoch three workers begin and two end: each comes as often
// as if the three had gone on.
TEST(Train, AnEpochGoesOnWithOtherWorkers) {
  const TempFolder folder;
  const Options recipe{
      .set = {
          "run.epochs=1",
          "data.train.count=203",
          "data.batch_mode=global",
          "data.batch_size=12",
          "data.sampler.policy=shard_then_shuffle",
          "data.sampler.last_batch=keep",
          "checkpoint.every=5st",
          "checkpoint.keep_last=9"}};
  const auto whole = train(folder / "whole", recipe.with({.devices = "cpu:3"}));
  EXPECT_EQ(losses(whole).size(), 17u);
  const auto spliced = folder / "spliced";
  std::filesystem::copy(
      whole,
      spliced,
      std::filesystem::copy_options::recursive |
          std::filesystem::copy_options::copy_symlinks);
  const Result resumed = run(tiny_run(
      folder / "runs",
      recipe.with({.devices = "cpu:2", .resume = checkpoint(spliced, 5)})));
  ASSERT_EQ(resumed.exit_code, 0) << resumed.err;
  EXPECT_THAT(
      resumed.out + resumed.err, HasSubstr("epoch 1 was begun by 3 workers"));
  expect_same_training(whole, spliced, 1e-4);
}

TEST(Train, AccumulationEqualsTheLargeBatch) {
  const TempFolder folder;
  const Options common{.devices = "cpu:2", .set = {"run.max_steps=20"}};
  const auto large =
      train(folder / "large", common.with({.set = {"data.batch_size=16"}}));
  const auto small = train(
      folder / "small",
      common.with({.set = {"data.batch_size=4", "train.accumulate=4"}}));
  expect_same_training(large, small, 1e-4);
}

TEST(Train, AKeptLastBatchLeavesAWorkerWithoutSamples) {
  const TempFolder folder;
  // 37 samples, 16 x 3: the second step of an epoch has none; 3 workers take
  // 16, 16 and 5 in the only step; with 12 each: 12, 1, 0 in the second.
  const auto run_folder = train(
      folder / "runs",
      {.devices = "cpu:3",
       .set = {
           "data.train.count=37",
           "data.batch_size=8",
           "data.sampler.last_batch=keep",
           "run.epochs=6"}});
  const auto trains = records(run_folder, "train");
  ASSERT_EQ(trains.size(), 12u);
  for (std::size_t i = 0; i < trains.size(); ++i) {
    EXPECT_EQ(trains[i].at("count"), i % 2 == 0 ? 24 : 13);
  }
}

// timm's last update of an epoch: 37 samples are 9 batches of 4 on one worker,
// 4 on each of two and 3 on each of three.
TEST(Train, TheLastMicroBatchesAreAStep) {
  const TempFolder folder;
  const std::vector<std::vector<int>> kCounts{{16, 16, 4}, {32}, {36}};
  for (std::size_t i = 0; i < kCounts.size(); ++i) {
    const auto run_folder = train(
        folder / std::to_string(i),
        {.devices = "cpu:" + std::to_string(i + 1),
         .set = {
             "data.train.count=37",
             "data.batch_size=4",
             "train.accumulate=4",
             "data.sampler.last_batch=micro",
             "schedule.warmup=0st",
             "run.epochs=2"}});
    std::vector<int> counts;
    for (const Json& record : records(run_folder, "train")) {
      counts.push_back(record.at("count"));
    }
    std::vector<int> twice = kCounts[i];
    twice.insert(twice.end(), kCounts[i].begin(), kCounts[i].end());
    EXPECT_EQ(counts, twice) << i + 1 << " workers";
  }
}

// Height and width, through augmentation, mixing, erasing, a checkpoint and its
// evaluation.
TEST(Train, ImagesMayBeWiderThanHigh) {
  const TempFolder folder;
  const auto run_folder = train(
      folder / "runs",
      {.devices = "cpu:2",
       .set = {
           "model.image_size=[16,24]",
           "data.augment.mixup=0.2",
           "data.augment.cutmix=1.0",
           "data.augment.erasing=1.0",
           "data.preprocess.crop_pct=0.9",
           "schedule.warmup=0st",
           "run.max_steps=4"}});
  const auto again = train(
      folder / "again",
      {.config = run_folder / "config.yaml",
       .devices = "cpu:1",
       .evaluate = run_folder});
  const Json first = records(run_folder, "eval").back();
  const Json second = records(again, "eval").back();
  EXPECT_EQ(first.at("correct1"), second.at("correct1"));
  EXPECT_EQ(first.at("loss"), second.at("loss"));
}

TEST(Train, BatchNormStatisticsAreAveragedOverTheWorkers) {
  const TempFolder folder;
  const auto run_folder = train(
      folder / "runs",
      {.devices = "cpu:2",
       .set = {
           "model.name=resnet18",
           "model.patch_size=auto",
           "model.embed_dim=auto",
           "model.depth=auto",
           "model.num_heads=auto",
           "model.image_size=32",
           "optim.name=sgd",
           "optim.nesterov=true",
           "run.max_steps=4",
           "schedule.warmup=0st",
           "data.batch_size=4"}});
  // Evaluating the checkpoint equals training's evaluation: it contains the
  // statistics with which all workers evaluated.
  const auto again = train(
      folder / "again",
      {.config = run_folder / "config.yaml",
       .devices = "cpu:1",
       .evaluate = run_folder});
  const Json first = records(run_folder, "eval").back();
  const Json second = records(again, "eval").back();
  EXPECT_EQ(first.at("correct1"), second.at("correct1"));
  EXPECT_EQ(first.at("loss"), second.at("loss"));
}

TEST(Eval, IsBitEqualOnOneTwoAndThreeWorkers) {
  const TempFolder folder;
  const auto trained = train(folder / "runs", {.devices = "cpu:2"});
  for (const int samples : {1, 2, 3, 15, 16, 17, 49, 101}) {
    Json first;
    for (const int workers : {1, 2, 3}) {
      const auto evaluated = train(
          folder / fmt::format("eval-{}-{}", samples, workers),
          {.config = trained / "config.yaml",
           .devices = fmt::format("cpu:{}", workers),
           .set = {fmt::format("data.eval.count={}", samples)},
           .evaluate = trained});
      const Json record = records(evaluated, "eval").at(0);
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
    const Options common{
        .set = {
            "run.max_steps=2",
            "schedule.warmup=0st",
            "data.eval.count=53",
            "data.eval_batch_size=7"}};
    const Options resnet{.config = kTinyResNet};
    const Options vit{
        .set =
            {"data.eval.size=32",
             "data.train.size=32",
             "model.patch_size=4",
             "model.embed_dim=192",
             "model.num_heads=3"},
        .more = {"-image_size", "32"}};
    const auto trained =
        train(folder / model, common.with(model == "resnet" ? resnet : vit));
    Json first;
    for (const auto& [workers, threads] :
         {std::pair("1", "2"), {"2", "1"}, {"3", "2"}}) {
      const auto output = folder / (model + workers + threads);
      const Words evaluation = tiny_run(
          output,
          {.config = trained / "config.yaml",
           .devices = std::string("cpu:") + workers,
           .evaluate = trained});
      const Result result =
          run(vitrain(evaluation, {{"OMP_NUM_THREADS", threads}}));
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
  const auto run_with = [&](const std::string& value) {
    return train(
        folder / value,
        {.set = {
             "train.precision=auto",
             "eval.precision=" + value,
             "run.max_steps=2",
             "schedule.warmup=0st"}});
  };
  const Json start = records(run_with("fp32"), "start").at(0);
  EXPECT_EQ(start.at("eval_precision"), "fp32");
  const auto follows = run_with("auto");
  EXPECT_EQ(
      records(follows, "start").at(0).at("eval_precision"),
      start.at("precision"));
  EXPECT_EQ(
      records(follows, "eval").at(0).at("precision"), start.at("precision"));
  // The weights of a run that trains in bf16 are evaluated as published.
  const Result alone = run(tiny_run(
      folder / "alone",
      {.set = {"train.precision=auto"}, .evaluate = follows}));
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
  const Result result = run(tiny_run(folder / "runs", {.more = {"-eval"}}));
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_THAT(result.err, HasSubstr("-pretrained"));
  const Result missing =
      run(tiny_run(folder / "runs", {.evaluate = "/no/such"}));
  EXPECT_EQ(missing.exit_code, 4);
  EXPECT_THAT(missing.err, HasSubstr("/no/such: no such file or folder"));
  EXPECT_THAT(missing.err, HasSubstr("a file of weights (.safetensors .pth"));
  const Result cached =
      run(tiny_run(folder / "runs", {.evaluate = "timm:no_such_model"}));
  EXPECT_EQ(cached.exit_code, 4);
  EXPECT_THAT(
      cached.err, HasSubstr("vitrain weights fetch timm:no_such_model"));
  const Result alone = run({"-eval", "-pretrained", "/no/such.pth"});
  EXPECT_EQ(alone.exit_code, 4);
  EXPECT_THAT(
      alone.err, HasSubstr("-pretrained /no/such.pth: no such file or folder"));
  EXPECT_FALSE(std::filesystem::exists(folder / "runs"));
}

TEST(Train, DivergenceEndsWithFiveAndSaysWhere) {
  const TempFolder folder;
  const Result result = run(tiny_run(
      folder / "runs",
      {.devices = "cpu:2",
       .set = {
           "optim.name=sgd",
           "optim.lr=1e30",
           "optim.clip_norm=null",
           "schedule.warmup=0st"}}));
  EXPECT_EQ(result.exit_code, 5) << result.out << result.err;
  EXPECT_THAT(result.err, HasSubstr("gradient norm"));
  EXPECT_THAT(result.err, HasSubstr("step"));
  EXPECT_THAT(result.err, HasSubstr("; there is no checkpoint yet. Try"));
}

// Progressive learning: from an epoch on, images are larger and mixed. They
// equal the images of a run with these settings throughout, and a run resumed
// in a later stage takes the same steps.
void expect_images_to_grow(const std::string& config, int to) {
  const TempFolder folder;
  const auto with = [&](std::vector<std::string> more) {
    Options options{
        .config = config,
        .devices = "cpu:2",
        .set = {
            "run.epochs=3",
            "schedule.warmup=0st",
            "data.batch_size=12",
            "data.train.count=48",
            "data.augment.crop=resized",
            "train.ema.decay=0.9",
            "log.batches=1-1000",
            "checkpoint.every=1ep",
            "checkpoint.keep_last=9"}};
    options.set.insert(options.set.end(), more.begin(), more.end());
    return options;
  };
  const std::string stages = fmt::format(
      "data.augment.stages=[{{from_epoch: 2, image_size: {}, mixup: 0.3}}, "
      "{{from_epoch: 3, image_size: {}, erasing: 0.5}}]",
      to - 8,
      to);
  const Options staged =
      with({fmt::format("data.augment.image_size={}", to - 16), stages});
  const auto path = train(folder / "staged", staged);
  EXPECT_THAT(
      slurp(path / "log/workerlog.0"),
      HasSubstr(fmt::format("(trained at {}, {}", to - 16, to - 8)));
  const auto last = train(
      folder / "last",
      with(
          {fmt::format("data.augment.image_size={}", to),
           "data.augment.mixup=0.3",
           "data.augment.erasing=0.5"}));
  const auto steps = static_cast<int>(losses(path).size());
  ASSERT_EQ(steps % 3, 0);
  for (const int rank : {0, 1}) {
    const auto batch = [&](const std::filesystem::path& run, int step) {
      return slurp(
          run / fmt::format("batches/step-{:06}-{}.safetensors", step, rank));
    };
    EXPECT_EQ(batch(path, steps), batch(last, steps));
    EXPECT_EQ(batch(path, steps * 2 / 3 + 1), batch(last, steps * 2 / 3 + 1));
    EXPECT_NE(batch(path, steps * 2 / 3), batch(last, steps * 2 / 3));
  }

  const auto resumed =
      resume_copy(path, folder / "resumed", staged, steps * 2 / 3);
  expect_same_training(path, resumed);
  expect_same_checkpoint(path, resumed, steps);
}

TEST(Train, ImagesGrowFromStageToStage) {
  expect_images_to_grow(kTinyResNet, 48);
}

// Its positions are for 16 px in all stages and in every checkpoint.
TEST(Train, ImagesOfATransformerGrowToo) {
  expect_images_to_grow(kTiny, 24);
}

// Stages of 2, 4 and 6 steps per epoch: batches equal those of runs with these
// sizes throughout, the learning rate follows the epoch, intervals in epochs
// hold, and a run resumes within a stage bit by bit.
TEST(Train, BatchesChangeFromStageToStage) {
  const TempFolder folder;
  const auto with = [](std::vector<std::string> more) {
    Options options{
        .config = kTinyResNet,
        .devices = "cpu:2",
        .set = {
            "run.epochs=3",
            "schedule.name=cosine",
            "schedule.warmup=0st",
            "data.train.count=48",
            "log.batches=1-1000",
            "checkpoint.every=0.5ep",
            "checkpoint.keep_last=9"}};
    options.set.insert(options.set.end(), more.begin(), more.end());
    return options;
  };
  const Options staged = with(
      {"data.augment.stages=[{from_epoch: 2, image_size: 40, batch_size: 6}, "
       "{from_epoch: 3, batch_size: 4}]"});
  const auto path = train(folder / "staged", staged);
  ASSERT_EQ(losses(path).size(), 12u);
  EXPECT_THAT(
      slurp(path / "log/workerlog.0"),
      testing::AllOf(
          HasSubstr("12 x 2 workers x 1 = 24"),
          HasSubstr("4 x 2 workers x 1 = 8 from epoch 3"),
          HasSubstr(
              "12 steps in epochs of 2, 4 from epoch 2, 6 from epoch 3")));
  std::vector<int> evaluated;
  for (const Json& record : records(path, "eval")) {
    evaluated.push_back(record.at("step"));
    EXPECT_EQ(record.at("epoch"), std::ssize(evaluated));
  }
  EXPECT_EQ(evaluated, (std::vector<int>{2, 6, 12}));

  const auto plain = train(folder / "plain", with({}));
  const auto second = train(
      folder / "second",
      with({"data.augment.image_size=40", "data.batch_size=6"}));
  const auto rate = [](const std::filesystem::path& run, std::size_t step) {
    return records(run, "train").at(step - 1).at("lr").get<double>();
  };
  EXPECT_EQ(rate(path, 3), rate(plain, 3));
  EXPECT_EQ(rate(path, 5), rate(plain, 4)); // the middle of the second epoch
  EXPECT_EQ(rate(path, 7), rate(plain, 5));
  EXPECT_LT(rate(path, 4), rate(path, 3));
  for (const int rank : {0, 1}) {
    const auto batch = [&](const std::filesystem::path& run, int step) {
      return slurp(
          run / fmt::format("batches/step-{:06}-{}.safetensors", step, rank));
    };
    EXPECT_EQ(batch(path, 2), batch(plain, 2));
    for (const int step : {1, 2, 3, 4}) {
      EXPECT_EQ(batch(path, 2 + step), batch(second, 4 + step)) << step;
    }
  }

  const auto resumed = resume_copy(path, folder / "resumed", staged, 4);
  expect_same_training(path, resumed);
  expect_same_checkpoint(path, resumed, 12);
  const Result other = run(tiny_run(
      folder / "runs",
      with({"data.augment.stages=[{from_epoch: 2, batch_size: 4}]"})
          .with({.resume = path, .more = {"-dry_run"}})));
  EXPECT_EQ(other.exit_code, 2) << other.out;
  EXPECT_THAT(other.err, HasSubstr("batches: checkpoint \"12 from epoch 2"));
}

// Training images may be smaller than evaluation images.
TEST(Train, HasImagesOfItsOwnSize) {
  const TempFolder folder;
  const auto path = train(
      folder.path(),
      {.config = kTinyResNet,
       .set = {
           "model.image_size=40",
           "data.augment.image_size=24",
           "run.max_steps=1",
           "log.trace=1"}});
  EXPECT_THAT(
      slurp(path / "log/workerlog.0"), HasSubstr("40 px (trained at 24)"));
  const std::string trace = slurp(path / "trace/rank0.json");
  EXPECT_THAT(trace, HasSubstr("[12,3,24,24]"));
  EXPECT_THAT(trace, Not(HasSubstr("40,40]")));
  // The evaluation depends on the weights and on images of 40 px.
  const Result again = run(
      {"-eval",
       "-pretrained",
       path.native(),
       "-output",
       (folder / "eval").native(),
       "-devices",
       "cpu:1"});
  EXPECT_EQ(again.exit_code, 0) << again.err;
  EXPECT_EQ(
      records(path, "eval").back().at("loss"),
      records(newest_run(folder / "eval"), "eval").back().at("loss"));
}

TEST(Train, DryRunTouchesNoDisk) {
  const TempFolder folder;
  const Result result = run(
      tiny_run(folder / "runs", {.devices = "cpu:2", .more = {"-dry_run"}}));
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr("parameters"));
  EXPECT_FALSE(std::filesystem::exists(folder / "runs"));
}

} // namespace
} // namespace vitrain::e2e
