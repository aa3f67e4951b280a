#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "config/rules/validate.h"
#include "support.h"

namespace vitrain::config {
namespace {

using ::testing::HasSubstr;

std::string problems_of(
    std::vector<std::string> sets,
    const CheckContext& context = {}) {
  sets.insert(
      sets.begin(), {"data.train.kind=shapes", "data.eval.kind=shapes"});
  const Problems problems = validate(recipe_with(sets), context);
  return problems.empty() ? "" : problems.text();
}

TEST(MixRules, AcceptRecipesOfPapers) {
  EXPECT_EQ(
      problems_of(
          {"data.augment.mixup=0.8",
           "data.augment.cutmix=1.0",
           "data.augment.mix_mode=elem",
           "data.augment.mix_off_epoch=100",
           "data.augment.erasing=0.25",
           "train.loss=binary_cross_entropy",
           "train.bce_threshold=0.0",
           "train.bce_sum=true"},
          {.workers = 8}),
      "");
}

TEST(MixRules, OneSampleHasNoPartner) {
  EXPECT_THAT(
      problems_of({"data.augment.mixup=0.8", "data.batch_size=1"}),
      HasSubstr("data.augment.mixup: mixes the samples of a micro-batch, and "
                "with data.batch_size: 1 each has one: take at least 2"));
  EXPECT_THAT(
      problems_of(
          {"data.augment.cutmix_minmax=[0.2, 0.8]",
           "data.batch_size=4",
           "data.batch_mode=global"},
          {.workers = 4}),
      HasSubstr("data.augment.cutmix_minmax: mixes the samples of a "
                "micro-batch, and with data.batch_size: 4 on 4 workers each "
                "has one: take at least 8"));
  // Without a chance of mixing there is no problem.
  for (const char* off :
       {"data.augment.mix_prob=0", "data.augment.mix_off_epoch=0"}) {
    EXPECT_EQ(
        problems_of({"data.augment.mixup=0.8", "data.batch_size=1", off}), "");
  }
}

TEST(MixRules, TargetsOfVectorsAreNotMixed) {
  const std::vector<std::string> vectors{
      "data.train.kind=vectors",
      "data.eval.kind=vectors",
      "data.eval.seed=7",
      "train.loss=mse",
      "checkpoint.metric=loss"};
  EXPECT_EQ(problems_of(vectors), "");
  auto mixed = vectors;
  mixed.emplace_back("data.augment.mixup=0.2");
  EXPECT_THAT(
      problems_of(mixed),
      HasSubstr("data.augment.mixup: mixes the labels of classes, which "
                "train.loss: mse has not"));
  auto erased = vectors;
  erased.emplace_back("data.augment.erasing=0.2");
  EXPECT_THAT(
      problems_of(erased), HasSubstr("data.augment.erasing: is for images"));
}

TEST(MixRules, WhatBelongsToSomethingElseNeedsIt) {
  EXPECT_THAT(
      problems_of({"data.augment.mix_off_epoch=3"}),
      HasSubstr("data.augment.mix_off_epoch: ends mixup and CutMix"));
  EXPECT_THAT(
      problems_of({"train.bce_threshold=0.2"}),
      HasSubstr("train.bce_threshold: needs train.loss"));
  EXPECT_THAT(
      problems_of({"train.bce_sum=true"}),
      HasSubstr("train.bce_sum: needs train.loss"));
  EXPECT_THAT(
      problems_of(
          {"data.augment.erasing=0.5", "data.augment.erasing_clean=false"}),
      HasSubstr("data.augment.erasing_clean: false is for train.loss"));
}

TEST(MixRules, VersionsOfAnImageAreNotMixedWithOthers) {
  const std::vector<std::string> splits{
      "train.loss=jensen_shannon",
      "data.augment.erasing=0.5",
      "data.augment.erasing_clean=false"};
  EXPECT_EQ(problems_of(splits), "");
  auto mixed = splits;
  mixed.emplace_back("data.augment.cutmix=1");
  EXPECT_THAT(
      problems_of(mixed),
      HasSubstr("data.augment.cutmix: mixes the images of a batch, of which "
                "train.loss: jensen_shannon compares versions"));
  auto taught = splits;
  taught.emplace_back("train.distill.type=soft");
  EXPECT_THAT(
      problems_of(taught),
      HasSubstr("train.distill.type: a teacher looks at one version"));
}

} // namespace
} // namespace vitrain::config
