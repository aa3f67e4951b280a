#include "config/load/preprocess_values.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/error.h"
#include "support/messages.h"

namespace vitrain::config {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

// Another value for every key.
Recipe trained() {
  Recipe recipe;
  recipe.model.image_size = 96;
  recipe.data.preprocess.exif_orientation = true;
  recipe.data.preprocess.mean = {0.1, 0.2, 0.1 + 0.2};
  recipe.data.preprocess.std = {1.0 / 3.0, 0.5, 0.25};
  recipe.data.preprocess.interpolation = Filter::kBilinear;
  recipe.data.preprocess.crop_pct = 0.95;
  return recipe;
}

// As a file would have kept them.
Json saved(const Recipe& recipe) {
  return Json::parse(to_line(preprocess_values(recipe)));
}

TEST(PreprocessValues, AreTakenOverBitForBit) {
  Recipe recipe;
  Origins origins;
  const auto notes = use_preprocess_values(
      saved(trained()), "runs/a", PreprocessUse::kAdopt, recipe, origins);
  EXPECT_EQ(preprocess_values(recipe), preprocess_values(trained()));
  EXPECT_EQ(notes.size(), 6u);
  EXPECT_THAT(
      notes,
      testing::Contains("data.preprocess.crop_pct: 0.95, as runs/a was trained "
                        "(not 0.875, the default)"));
  EXPECT_EQ(origins.at("model.image_size").source, "runs/a");
  EXPECT_THAT(
      use_preprocess_values(
          saved(trained()), "runs/a", PreprocessUse::kAdopt, recipe, origins),
      IsEmpty());
}

TEST(PreprocessValues, AKeyThatSomebodySetWinsAndIsReported) {
  Recipe recipe;
  recipe.data.preprocess.crop_pct = 1.0;
  recipe.data.preprocess.interpolation = Filter::kBilinear;
  Origins origins{
      {"data.preprocess.crop_pct", {"a.yaml", 12, 7}},
      {"data.preprocess.interpolation", {"-set #1"}}};
  Json values = saved(trained());
  values.erase("data.preprocess.exif_orientation");
  values.erase("data.preprocess.mean");
  values.erase("data.preprocess.std");
  values.erase("model.image_size");
  const auto notes = use_preprocess_values(
      values, "runs/a", PreprocessUse::kAdopt, recipe, origins);
  EXPECT_EQ(recipe.data.preprocess.crop_pct, 1.0);
  EXPECT_THAT(
      notes,
      ElementsAre("data.preprocess.crop_pct: 1.0 (a.yaml:12:7), but runs/a was "
                  "trained with 0.95"));
}

TEST(PreprocessValues, ARecordWithoutAPillowMeans12) {
  Recipe recipe;
  recipe.data.preprocess.pillow = 13;
  Origins origins;
  Json values = saved(trained());
  EXPECT_EQ(values.at("data.preprocess.pillow"), 12);
  values.erase("data.preprocess.pillow");
  EXPECT_THAT(
      use_preprocess_values(
          values, "runs/a", PreprocessUse::kCompare, recipe, origins),
      testing::Contains("data.preprocess.pillow: 13 (the default), but runs/a "
                        "was trained with 12"));
  origins["data.preprocess.pillow"] = {"-set #1"};
  EXPECT_THAT(
      use_preprocess_values(
          values, "runs/a", PreprocessUse::kAdopt, recipe, origins),
      testing::Contains("data.preprocess.pillow: 13 (-set #1), but runs/a was "
                        "trained with 12"));
  EXPECT_EQ(recipe.data.preprocess.pillow, 13);
  origins.clear();
  use_preprocess_values(
      values, "runs/a", PreprocessUse::kAdopt, recipe, origins);
  EXPECT_EQ(recipe.data.preprocess.pillow, 12);
}

TEST(PreprocessValues, ADefaultOfPaddleViTIsNobodysChoice) {
  Recipe recipe;
  Origins origins{
      {"data.preprocess.crop_pct",
       {"PaddleViT's default", 0, 0, Origin::kDefault}},
  };
  use_preprocess_values(
      saved(trained()), "runs/a", PreprocessUse::kAdopt, recipe, origins);
  EXPECT_EQ(recipe.data.preprocess.crop_pct, 0.95);
}

TEST(PreprocessValues, ComparingChangesNothing) {
  Recipe recipe;
  Origins origins;
  const auto notes = use_preprocess_values(
      saved(trained()), "runs/a", PreprocessUse::kCompare, recipe, origins);
  EXPECT_EQ(preprocess_values(recipe), preprocess_values(Recipe{}));
  EXPECT_TRUE(origins.empty());
  EXPECT_THAT(
      notes,
      testing::Contains("data.preprocess.interpolation: bicubic (the default), "
                        "but runs/a was trained with bilinear"));
}

std::string refusal(const Json& values) {
  Recipe recipe;
  Origins origins;
  try {
    use_preprocess_values(
        values, "runs/a", PreprocessUse::kAdopt, recipe, origins);
    return "";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::kWeights);
    return error.what();
  }
}

TEST(PreprocessValues, WhatIsNotUnderstoodIsRefused) {
  expect_message(
      refusal({{"data.preprocess.gamma", 2.2}}), {"data.preprocess.gamma"});
  expect_message(refusal({{"run.output", "/etc"}}), {});
  expect_message(
      refusal({{"data.preprocess.crop_pct", "wide"}}),
      {"data.preprocess.crop_pct"});
  expect_message(
      refusal({{"data.preprocess.std", {0.0, 1.0, 1.0}}}),
      {"data.preprocess.std"});
}

// Regression: the weights' `resize` replaced a crop_pct that the user had set.
TEST(PreprocessValues, ACropThatSomebodySetIsNotReplacedByASize) {
  const Json values{
      {"data.preprocess.crop_pct", 0.9}, {"data.preprocess.resize", 256}};
  for (const char* key :
       {"data.preprocess.crop_pct", "data.preprocess.resize"}) {
    Recipe recipe;
    recipe.data.preprocess.crop_pct = 0.8;
    Origins origins{{key, {"-set #1"}}};
    const auto notes = use_preprocess_values(
        values, "w", PreprocessUse::kAdopt, recipe, origins);
    EXPECT_EQ(recipe.data.preprocess.crop_pct, 0.8) << key;
    EXPECT_EQ(recipe.data.preprocess.resize, std::nullopt) << key;
    EXPECT_THAT(
        notes,
        ElementsAre(
            HasSubstr("(-set #1), but "), HasSubstr("(-set #1), but ")));
  }
  Recipe recipe;
  Origins origins;
  use_preprocess_values(values, "w", PreprocessUse::kAdopt, recipe, origins);
  EXPECT_EQ(recipe.data.preprocess.crop_pct, 0.9);
  EXPECT_EQ(recipe.data.preprocess.resize, 256);
}

} // namespace
} // namespace vitrain::config
