#include "config/rules/stages.h"

#include "config/rules/plan.h"
#include "config/sections/augment_stage.h"
#include "support/messages.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace vitrain::config {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

Recipe three_stages() {
  Recipe recipe;
  recipe.run.epochs = 10;
  recipe.data.augment.image_size = 128;
  recipe.data.augment.mix.cutmix = 0.5;
  recipe.data.augment.stages = {
      "{from_epoch: 4, image_size: 160, mixup: 0.1}",
      "{from_epoch: 8, image_size: [192, 176], auto_augment: rand-m9}"};
  return recipe;
}

TEST(Stages, ChangeWhatTheyNameFromTheirEpochOn) {
  const Recipe recipe = three_stages();
  EXPECT_THAT(stage_epochs(recipe), ElementsAre(1, 4, 8));
  const AugmentConfig third = recipe_in_epoch(recipe, 3).data.augment;
  EXPECT_EQ(third.image_size, ImageSize(128));
  EXPECT_EQ(third.mix.mixup, 0.0);
  const AugmentConfig fourth = recipe_in_epoch(recipe, 4).data.augment;
  EXPECT_EQ(fourth.image_size, ImageSize(160));
  EXPECT_EQ(fourth.mix.mixup, 0.1);
  EXPECT_EQ(fourth.mix.cutmix, 0.5);
  const AugmentConfig last = recipe_in_epoch(recipe, 10).data.augment;
  EXPECT_EQ(last.image_size, ImageSize(192, 176));
  EXPECT_EQ(last.mix.mixup, 0.1); // of the stage before
  EXPECT_EQ(last.auto_augment, "rand-m9");
}

TEST(Stages, MayHaveAnotherBatch) {
  Recipe recipe = three_stages();
  recipe.data.batch_size = 12;
  recipe.data.batch_mode = BatchMode::kGlobal;
  recipe.data.augment.stages.emplace_back("{from_epoch: 9, batch_size: 7}");
  EXPECT_EQ(recipe_in_epoch(recipe, 8).data.batch_size, 12);
  EXPECT_EQ(recipe_in_epoch(recipe, 9).data.batch_size, 7);
  EXPECT_THAT(check_image_changes(recipe, {.workers = 1}), IsEmpty());
  const auto findings = check_image_changes(recipe, {.workers = 2});
  ASSERT_EQ(findings.size(), 1u);
  EXPECT_EQ(findings[0].key, "data.augment.stages");
  expect_message(findings[0].text, {"9", "data.batch_size", "7", "batch_mode"});
  const auto stages = batch_stages(recipe, 1);
  ASSERT_EQ(stages.size(), 2u);
  EXPECT_EQ(stages[0].end_epoch, 8);
  EXPECT_EQ(stages[1].first_epoch, 8);
  EXPECT_EQ(stages[1].end_epoch, 10);
  expect_message(
      validate_augment_stage("{from_epoch: 2, batch_size: 0}"), {"batch_size"});
  expect_message(
      validate_augment_stage("{from_epoch: 2, threads: 1}"), {"data.augment"});
}

TEST(Stages, StandInOrderWithinTheRun) {
  Recipe recipe = three_stages();
  EXPECT_THAT(check_image_changes(recipe, {}), IsEmpty());
  recipe.run.epochs = 7;
  auto findings = check_image_changes(recipe, {});
  ASSERT_EQ(findings.size(), 1u);
  EXPECT_EQ(findings[0].key, "data.augment.stages");
  expect_message(findings[0].text, {"8", "7"});
  recipe.run.epochs = 10;
  std::swap(recipe.data.augment.stages[0], recipe.data.augment.stages[1]);
  findings = check_image_changes(recipe, {});
  ASSERT_EQ(findings.size(), 1u);
  expect_message(findings[0].text, {"4"});
}

TEST(Stages, ObeyTheRulesThatTheirKeysHave) {
  const auto findings = check_stages(three_stages(), [](const Recipe& recipe) {
    Checker checker;
    checker.require(
        recipe.data.augment.mix.mixup == 0.0, "data.augment.mixup", "is wrong");
    return checker.take();
  });
  ASSERT_EQ(findings.size(), 2u); // of both stages that have it
  EXPECT_EQ(findings[0].key, "data.augment.stages");
  EXPECT_EQ(findings[0].text, "from epoch 4: data.augment.mixup is wrong");
}

} // namespace
} // namespace vitrain::config
