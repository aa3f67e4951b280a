// A masked autoencoder in the real binary: pretraining, resuming, fine-tuning.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "program.h"

namespace vitrain::e2e {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

const Options kMae{
    .set = {
        "model.name=mae_vit_base_patch16",
        "model.decoder_embed_dim=16",
        "model.decoder_depth=1",
        "model.decoder_num_heads=2",
        "model.patch_size=4",
        "model.embed_dim=32",
        "model.depth=2",
        "model.num_heads=2",
        "train.loss=pixels",
        "checkpoint.metric=loss",
        "schedule.warmup=1st"}};

TEST(Mae, AResumedRunEqualsAnUninterruptedOne) {
  const TempFolder folder;
  const Options options = kMae.with(
      {.devices = "cpu:2",
       .set = {
           "run.max_steps=6",
           "eval.every=3st",
           "checkpoint.every=3st",
           "checkpoint.keep_last=20"}});
  const auto whole = train(folder / "whole", options);
  const auto part = resume_copy(whole, folder / "part", options, 3);
  expect_same_training(whole, part);
  expect_same_checkpoint(whole, part, 6);
  const auto evals = records(whole, "eval");
  ASSERT_EQ(evals.size(), 2u);
  EXPECT_EQ(evals[0].at("count"), 101);
  EXPECT_FALSE(evals[0].contains("top1"));
  EXPECT_EQ(evals.back().at("loss"), records(part, "eval").back().at("loss"));
}

// Masks belong to places in the global batch, and of an evaluation to samples.
TEST(Mae, TwoWorkersEqualOne) {
  const TempFolder folder;
  const Options common = kMae.with({.set = {"run.max_steps=20"}});
  const auto one = train(
      folder / "one",
      common.with({.devices = "cpu:1", .set = {"train.accumulate=2"}}));
  const auto two = train(folder / "two", common.with({.devices = "cpu:2"}));
  // Sums of gradients in another order.
  expect_same_training(one, two, 1e-4);
  EXPECT_LT(losses(one).back(), losses(one).front());
  const auto process = train(
      folder / "process",
      common.with({.devices = "cpu:2", .set = {"dist.mode=single_process"}}));
  expect_same_training(two, process, 1e-4);
  // Equal bits for any number of workers and any seed.
  std::vector<Json> evals;
  for (const char* devices : {"cpu:1", "cpu:3"}) {
    const auto output = folder / devices;
    const Result result = run(tiny_run(
        output,
        kMae.with({.devices = devices, .evaluate = two})
            .with({.set = {std::string("run.seed=") + devices[4]}})));
    ASSERT_EQ(result.exit_code, 0) << result.err;
    EXPECT_THAT(
        result.out, AllOf(HasSubstr("eval  loss"), Not(HasSubstr("top1"))));
    evals.push_back(records(newest_run(output), "eval").back());
  }
  EXPECT_EQ(evals[0].at("loss"), evals[1].at("loss"));
  EXPECT_EQ(evals[0].at("loss"), records(two, "eval").back().at("loss"));
}

TEST(Mae, BeginsAClassifier) {
  const TempFolder folder;
  const auto pretrained = train(
      folder / "mae",
      kMae.with({.devices = "cpu:2", .set = {"run.max_steps=3"}}));
  const Options tuning{
      .devices = "cpu:2",
      .set = {
          "model.name=vit_base_patch16_224",
          "model.patch_size=4",
          "model.global_pool=avg",
          "run.max_steps=3",
          "schedule.warmup=1st"}};
  for (const auto& weights :
       {pretrained, checkpoint(pretrained, 3) / "model.safetensors"}) {
    const auto output = folder / "tuned";
    const Result result = run(tiny_run(
        output, tuning.with({.more = {"-pretrained", weights.native()}})));
    ASSERT_EQ(result.exit_code, 0) << result.err;
    EXPECT_THAT(
        result.out,
        AllOf(
            HasSubstr("freshly initialised: fc_norm.bias, fc_norm.weight, "
                      "head.bias, head.weight"),
            HasSubstr("not needed, left out: decoder_blocks.0.attn.proj.bias"),
            Not(HasSubstr("gives its classes other numbers"))));
    EXPECT_TRUE(records(newest_run(output), "eval").back().contains("top1"));
  }
  // Not the other way round, and not to be evaluated as it is.
  const Result evaluated =
      run(tiny_run(folder / "eval", tuning.with({.evaluate = pretrained})));
  EXPECT_EQ(evaluated.exit_code, 4) << evaluated.out << evaluated.err;
}

TEST(Mae, RefusesWhatHasNoMeaning) {
  const TempFolder folder;
  const Result result = run(tiny_run(
      folder / "runs",
      kMae.with(
          {.devices = "cpu:1",
           .set = {
               "train.loss=cross_entropy",
               "model.num_classes=10",
               "model.drop_path=0.1"}})));
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_THAT(
      result.err,
      AllOf(
          HasSubstr("train.loss: cross_entropy, but mae_vit_base_patch16 has "
                    "no classifier"),
          HasSubstr("model.num_classes: mae_vit_base_patch16 has no "
                    "classifier"),
          HasSubstr("model.drop_path: mae_vit_base_patch16 is of the family "
                    "mae")));
}

} // namespace
} // namespace vitrain::e2e
