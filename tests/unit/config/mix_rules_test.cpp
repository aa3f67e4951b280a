#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "config/rules/validate.h"
#include "support.h"
#include "support/messages.h"

namespace vitrain::config {
namespace {

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
  expect_message(
      problems_of({"data.augment.mixup=0.8", "data.batch_size=1"}),
      {"data.augment.mixup", "data.batch_size", "1", "2"});
  expect_message(
      problems_of(
          {"data.augment.cutmix_minmax=[0.2, 0.8]",
           "data.batch_size=4",
           "data.batch_mode=global"},
          {.workers = 4}),
      {"data.augment.cutmix_minmax", "data.batch_size", "4", "8"});
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
  expect_message(problems_of(mixed), {"data.augment.mixup", "train.loss"});
  auto erased = vectors;
  erased.emplace_back("data.augment.erasing=0.2");
  expect_message(problems_of(erased), {"data.augment.erasing"});
}

TEST(MixRules, WhatBelongsToSomethingElseNeedsIt) {
  expect_message(
      problems_of({"data.augment.mix_off_epoch=3"}),
      {"data.augment.mix_off_epoch"});
  expect_message(
      problems_of({"train.bce_threshold=0.2"}),
      {"train.bce_threshold", "train.loss"});
  expect_message(
      problems_of({"train.bce_sum=true"}), {"train.bce_sum", "train.loss"});
  expect_message(
      problems_of(
          {"data.augment.erasing=0.5", "data.augment.erasing_clean=false"}),
      {"data.augment.erasing_clean", "train.loss"});
}

TEST(MixRules, VersionsOfAnImageAreNotMixedWithOthers) {
  const std::vector<std::string> splits{
      "train.loss=jensen_shannon",
      "data.augment.erasing=0.5",
      "data.augment.erasing_clean=false"};
  EXPECT_EQ(problems_of(splits), "");
  auto mixed = splits;
  mixed.emplace_back("data.augment.cutmix=1");
  expect_message(
      problems_of(mixed),
      {"data.augment.cutmix", "train.loss", "jensen_shannon"});
  auto taught = splits;
  taught.emplace_back("train.distill.type=soft");
  expect_message(problems_of(taught), {"train.distill.type"});
}

} // namespace
} // namespace vitrain::config
