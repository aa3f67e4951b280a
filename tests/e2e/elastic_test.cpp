// run.determinism: which changes of workers and threads keep the weights.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "program.h"

namespace vitrain::e2e {
namespace {

// The files of a checkpoint whose bits must be equal.
std::string bits_of(const std::filesystem::path& run, int step) {
  std::string bits;
  for (const char* name :
       {"model.safetensors", "optimizer.safetensors", "ema.safetensors"}) {
    const auto file = checkpoint(run, step) / name;
    EXPECT_TRUE(std::filesystem::exists(file)) << file;
    bits += read_bytes(file);
  }
  return bits;
}

// 18 steps in epochs of 8, the last of which have fewer samples.
Options elastic(const std::string& devices, const Words& set) {
  return Options{
      .devices = devices,
      .set =
          {"run.determinism=elastic",
           "run.max_steps=18",
           "run.epochs=9",
           "run.name=r",
           "data.train.count=150",
           "data.batch_size=2",
           "data.sampler.last_batch=keep",
           "checkpoint.every=18st",
           "checkpoint.keep_last=9",
           "data.augment.mixup=0.8",
           "train.ema.decay=0.9",
           "log.every=4"}}
      .with({.set = set});
}

void expect_equal_weights(const Words& set) {
  const TempFolder folder;
  const auto one = train(folder / "one", elastic("cpu:1", set));
  const auto four = train(folder / "four", elastic("cpu:4", set));
  EXPECT_EQ(bits_of(one, 18), bits_of(four, 18));
  // Begun by four workers, continued by two, ended by one.
  const auto output = folder / "parts";
  for (const auto& [devices, code] :
       {std::pair("cpu:4", 75), {"cpu:2", 75}, {"cpu:1", 0}}) {
    const Result result = run(tiny_run(
        output,
        elastic(devices, set)
            .with(
                {.set =
                     {code == 0 ? "run.stop_after=null" : "run.stop_after=7st"},
                 .resume = "auto"})));
    ASSERT_EQ(result.exit_code, code) << result.out << result.err;
  }
  EXPECT_EQ(bits_of(one, 18), bits_of(newest_run(output), 18));
}

TEST(Elastic, ViTHasTheSameWeightsOnAnyWorkers) {
  expect_equal_weights(
      {"dist.zero1=true",
       "train.accumulate=2",
       "data.train.count=300",
       "model.drop_path=0.2",
       "model.dropout=0.1",
       "train.precision=bf16",
       "schedule.scale.rule=linear"});
}

TEST(Elastic, BatchNormHasTheSameStatisticsOnAnyWorkers) {
  expect_equal_weights(
      {"model.name=mobilenetv3_small_050",
       "model.image_size=32",
       "data.train.size=32",
       "data.eval.size=32",
       "model.embed_dim=auto",
       "model.patch_size=auto",
       "model.depth=auto",
       "model.num_heads=auto",
       "optim.name=sgd",
       "data.augment.cutmix=1.0"});
}

TEST(Elastic, RefusesWorkersThatDoNotDivideTheShards) {
  const TempFolder folder;
  expect_error(
      run(tiny_run(folder / "runs", elastic("cpu:3", {}))),
      2,
      {"run.shards", "8", "3"});
}

TEST(Bitwise, ResumesOnlyWithTheSameWorkersAndThreads) {
  const TempFolder folder;
  const Options options{
      .devices = "cpu:2",
      .set = {
          "run.determinism=bitwise",
          "run.max_steps=6",
          "run.stop_after=3st",
          "schedule.warmup=0st",
          "data.batch_mode=global",
          "run.name=r"}};
  const Environment one_thread{{"OMP_NUM_THREADS", "1"}};
  const auto output = folder / "runs";
  const Command begin{vitrain(tiny_run(output, options), one_thread)};
  EXPECT_EQ(run(begin).exit_code, 75);
  const auto resume = [&](const Options& with, const Environment& environment) {
    return run(vitrain(
        tiny_run(
            output, options.with({.resume = newest_run(output)}).with(with)),
        environment));
  };
  expect_error(
      resume({.devices = "cpu:1"}, one_thread),
      2,
      {"run.determinism", "workers", "2", "1"});
  expect_error(
      resume({}, {{"OMP_NUM_THREADS", "2"}}),
      2,
      {"run.determinism", "threads", "1", "2"});
  EXPECT_EQ(resume({}, one_thread).exit_code, 0);
  EXPECT_EQ(
      resume(
          {.devices = "cpu:1",
           .set = {"run.determinism=fast", "run.max_steps=9"}},
          one_thread)
          .exit_code,
      0);
}

} // namespace
} // namespace vitrain::e2e
