// Mixup, CutMix and random erasing in the real binary.

#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

#include "program.h"

namespace vitrain::e2e {
namespace {

const Options kMixed{
    .set = {
        "data.augment.mixup=0.8",
        "data.augment.cutmix=1.0",
        "data.augment.erasing=0.5",
        "data.augment.erasing_count=2",
        "train.label_smoothing=0.1",
        "model.drop_path=0.1"}};

TEST(Mixing, AResumedRunEqualsAnUninterruptedOne) {
  for (const std::string mode : {"batch", "elem"}) {
    SCOPED_TRACE(mode);
    const TempFolder folder;
    const Options options = kMixed.with(
        {.devices = "cpu:2",
         .set = {
             "run.max_steps=25",
             "checkpoint.every=7st",
             "checkpoint.keep_last=20",
             "data.augment.mix_mode=" + mode}});
    const auto whole = train(folder / "whole", options);
    const auto part = resume_copy(whole, folder / "part", options, 14);
    expect_same_training(whole, part);
    expect_same_checkpoint(whole, part, 25);
  }
}

// Mixing and dropout are sampled per micro-batch, so that two workers equal one
// that accumulates.
TEST(Mixing, TwoWorkersEqualOne) {
  const TempFolder folder;
  const Options common = kMixed.with(
      {.set = {
           "run.max_steps=30",
           "data.augment.mix_mode=pair",
           "model.dropout=0.1",
           "model.attention_dropout=0.1",
           "train.class_balance=inverse"}});
  const auto one = train(
      folder / "one",
      common.with({.devices = "cpu:1", .set = {"train.accumulate=2"}}));
  const auto two = train(folder / "two", common.with({.devices = "cpu:2"}));
  // Sums of gradients in another order, over 30 steps.
  expect_same_training(one, two, 1e-4);
}

// Micro-batches of another size are mixed in another way; without mixing the
// same samples make the same steps.
TEST(Mixing, OtherMicroBatchesAreMixedAnew) {
  const TempFolder folder;
  const auto difference = [&](const std::string& name, const Options& options) {
    const auto losses_on = [&](const std::string& devices) {
      return losses(train(
          folder / (name + devices),
          options.with(
              {.devices = devices,
               .set = {"run.max_steps=12", "data.batch_mode=global"}})));
    };
    const auto one = losses_on("cpu:1");
    const auto two = losses_on("cpu:2");
    double largest = 0.0;
    for (std::size_t i = 0; i < one.size(); ++i) {
      largest = std::max(largest, std::abs(one[i] - two.at(i)) / one[i]);
    }
    return largest;
  };
  // Sums in another order.
  EXPECT_LT(difference("plain", {.set = {"model.drop_path=0.1"}}), 1e-5);
  EXPECT_GT(difference("mixed", kMixed), 1e-4);
}

// Without mixing a run is the plain one; until then it is another.
TEST(Mixing, EndsWithItsEpochs) {
  const TempFolder folder;
  const auto with = [&](const char* name, const Words& settings) {
    return train(
        folder / name,
        kMixed.with({.devices = "cpu:1", .set = {"data.augment.erasing=0"}})
            .with({.set = settings}));
  };
  const auto off = with("off", {"data.augment.mix_off_epoch=0"});
  const auto half = with("half", {"data.augment.mix_off_epoch=1"});
  const auto plain =
      with("plain", {"data.augment.mixup=0", "data.augment.cutmix=0"});
  expect_same_training(off, plain);
  ASSERT_EQ(losses(half).size(), losses(plain).size());
  EXPECT_NE(losses(half)[0], losses(plain)[0]);
}

TEST(Mixing, AKeptLastBatchMayBeOddOrEmpty) {
  const TempFolder folder;
  const auto trains = records(
      train(
          folder / "runs",
          kMixed.with(
              {.devices = "cpu:2",
               .set =
                   {"data.train.count=53", // 16 and 16, then 16 and 5
                    "data.sampler.last_batch=keep",
                    "schedule.warmup=1st",
                    "train.loss=binary_cross_entropy"}})),
      "train");
  ASSERT_EQ(trains.size(), 4u);
  EXPECT_EQ(trains[1].at("count"), 21);
}

TEST(Mixing, OneProcessMixesTheSharesOfItsReplicas) {
  const TempFolder folder;
  const Options common =
      kMixed.with({.devices = "cpu:2", .set = {"run.max_steps=10"}});
  const auto one =
      train(folder / "one", common.with({.set = {"dist.mode=single_process"}}));
  expect_same_training(one, train(folder / "two", common), 1e-4);
}

} // namespace
} // namespace vitrain::e2e
