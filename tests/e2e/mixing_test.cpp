// Mixup, CutMix and random erasing in the real binary.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "program.h"

namespace vitrain::e2e {
namespace {

std::vector<std::string> mixed_run(
    const std::filesystem::path& output,
    const std::vector<std::string>& more) {
  std::vector<std::string> all{
      "-set",
      "data.augment.mixup=0.8",
      "-set",
      "data.augment.cutmix=1.0",
      "-set",
      "data.augment.erasing=0.5",
      "-set",
      "data.augment.erasing_count=2",
      "-set",
      "train.label_smoothing=0.1",
      "-set",
      "model.drop_path=0.1"};
  all.insert(all.end(), more.begin(), more.end());
  return tiny_run(output, all);
}

// `a` and `b`, but for the numbers' last bits where `tolerance` is above 0.
void expect_same_training(
    const std::filesystem::path& a,
    const std::filesystem::path& b,
    double tolerance) {
  const auto left = records(a, "train");
  const auto right = records(b, "train");
  ASSERT_EQ(left.size(), right.size());
  ASSERT_GT(left.size(), 0u);
  for (std::size_t i = 0; i < left.size(); ++i) {
    SCOPED_TRACE("step " + std::to_string(i + 1));
    const double x = left[i].at("loss");
    const double y = right[i].at("loss");
    EXPECT_LE(std::abs(x - y), tolerance * std::abs(x));
    EXPECT_EQ(left[i].at("samples_hash"), right[i].at("samples_hash"));
  }
}

TEST(Mixing, AResumedRunEqualsAnUninterruptedOne) {
  for (const char* mode : {"batch", "elem"}) {
    SCOPED_TRACE(mode);
    const TempFolder folder;
    const std::vector<std::string> common{
        "-devices",
        "cpu:2",
        "-set",
        "run.max_steps=25",
        "-set",
        "run.name=r",
        "-set",
        "checkpoint.every=7st",
        "-set",
        "checkpoint.keep_last=20",
        "-set",
        std::string("data.augment.mix_mode=") + mode};
    ASSERT_EQ(run(mixed_run(folder / "whole", common)).exit_code, 0);
    const auto whole = newest_run(folder / "whole");
    const auto copy = copy_until(whole, folder / "part", "step-000000014");
    auto again = common;
    again.insert(
        again.end(),
        {"-resume", (copy / "checkpoints" / "step-000000014").native()});
    const Result result = run(mixed_run(folder / "part", again));
    ASSERT_EQ(result.exit_code, 0) << result.out << result.err;
    expect_same_training(whole, copy, /*tolerance=*/0);
    const auto model = std::filesystem::path("checkpoints") / "step-000000025" /
        "model.safetensors";
    EXPECT_EQ(slurp(whole / model), slurp(copy / model));
  }
}

// The micro-batch is what is mixed, so two workers equal one that accumulates.
TEST(Mixing, TwoWorkersEqualOne) {
  const TempFolder folder;
  const std::vector<std::string> common{
      "-set", "run.max_steps=30", "-set", "data.augment.mix_mode=pair"};
  auto one = common;
  one.insert(one.end(), {"-devices", "cpu:1", "-set", "train.accumulate=2"});
  auto two = common;
  two.insert(two.end(), {"-devices", "cpu:2"});
  ASSERT_EQ(run(mixed_run(folder / "one", one)).exit_code, 0);
  ASSERT_EQ(run(mixed_run(folder / "two", two)).exit_code, 0);
  // Sums of gradients in another order, over 30 steps.
  expect_same_training(
      newest_run(folder / "one"), newest_run(folder / "two"), 1e-4);
}

// Without mixing a run is the plain one; until then it is another.
TEST(Mixing, EndsWithItsEpochs) {
  const TempFolder folder;
  const std::vector<std::string> common{
      "-devices", "cpu:1", "-set", "data.augment.erasing=0"};
  auto off = common;
  off.insert(off.end(), {"-set", "data.augment.mix_off_epoch=0"});
  auto half = common;
  half.insert(half.end(), {"-set", "data.augment.mix_off_epoch=1"});
  auto plain = common;
  plain.insert(
      plain.end(),
      {"-set", "data.augment.mixup=0", "-set", "data.augment.cutmix=0"});
  ASSERT_EQ(run(mixed_run(folder / "off", off)).exit_code, 0);
  ASSERT_EQ(run(mixed_run(folder / "half", half)).exit_code, 0);
  ASSERT_EQ(run(mixed_run(folder / "plain", plain)).exit_code, 0);
  expect_same_training(
      newest_run(folder / "off"), newest_run(folder / "plain"), 0);
  const auto mixed = records(newest_run(folder / "half"), "train");
  const auto whole = records(newest_run(folder / "plain"), "train");
  ASSERT_EQ(mixed.size(), whole.size());
  EXPECT_NE(mixed[0].at("loss"), whole[0].at("loss"));
}

TEST(Mixing, AKeptLastBatchMayBeOddOrEmpty) {
  const TempFolder folder;
  const Result result = run(mixed_run(
      folder / "runs",
      {"-devices",
       "cpu:2",
       "-set",
       "data.train.count=53", // 16 and 16, then 16 and 5
       "-set",
       "data.sampler.last_batch=keep",
       "-set",
       "schedule.warmup=1st",
       "-set",
       "train.loss=binary_cross_entropy"}));
  ASSERT_EQ(result.exit_code, 0) << result.out << result.err;
  const auto trains = records(newest_run(folder / "runs"), "train");
  ASSERT_EQ(trains.size(), 4u);
  EXPECT_EQ(trains[1].at("count"), 21);
}

TEST(Mixing, OneProcessMixesTheSharesOfItsReplicas) {
  const TempFolder folder;
  const std::vector<std::string> common{
      "-devices", "cpu:2", "-set", "run.max_steps=10"};
  auto one = common;
  one.insert(one.end(), {"-set", "dist.mode=single_process"});
  ASSERT_EQ(run(mixed_run(folder / "one", one)).exit_code, 0);
  ASSERT_EQ(run(mixed_run(folder / "two", common)).exit_code, 0);
  expect_same_training(
      newest_run(folder / "one"), newest_run(folder / "two"), 1e-4);
}

} // namespace
} // namespace vitrain::e2e
