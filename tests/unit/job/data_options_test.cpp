#include "job/data_options.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/error.h"
#include "support/messages.h"

namespace vitrain::job {
namespace {

models::ModelSpec grey_48() {
  models::ModelSpec spec;
  spec.image_size = 48;
  spec.channels = 1;
  return spec;
}

TEST(DataOptions, OnlyNoiseHasAsManyClassesAsAskedFor) {
  config::SourceConfig source;
  source.classes = 7;
  source.kind = SourceKind::kRandom;
  EXPECT_EQ(source_options(source, true).classes, 7);
  source.kind = SourceKind::kList; // as many as its labels need
  EXPECT_EQ(source_options(source, true).classes, 0);
  EXPECT_TRUE(source_options(source, true).train);
  EXPECT_FALSE(source_options(source, false).train);
}

// Labels of evaluation data have the meaning of the training labels.
TEST(DataOptions, EvaluationFollowsTheTrainingData) {
  config::SourceConfig source;
  source.kind = SourceKind::kList;
  data::Index::Contents contents;
  contents.options.kind = SourceKind::kList;
  contents.classes = {"1", "2", "3"};
  contents.label_form = data::LabelForm::kNumbers;
  const data::SourceOptions options =
      evaluation_options(source, data::Index(std::move(contents)));
  EXPECT_EQ(options.classes, 3);
  EXPECT_EQ(options.trained_labels, data::LabelForm::kNumbers);
  EXPECT_FALSE(options.train);
}

TEST(DataOptions, ATransformIsOfTheNetworkAndTheRecipe) {
  config::Recipe recipe;
  recipe.run.seed = 5;
  recipe.data.decode_memory_mb = 3;
  recipe.data.preprocess.pillow = 13;
  const auto options = transform_options(recipe, grey_48(), true);
  EXPECT_EQ(options.size, 48);
  EXPECT_EQ(options.channels, 1);
  EXPECT_EQ(options.seed, 5u);
  EXPECT_EQ(options.decode.memory, 3 << 20);
  EXPECT_EQ(options.pillow, image::Pillow::k13);
  EXPECT_TRUE(options.train);
  EXPECT_FALSE(transform_options(recipe, grey_48(), false).train);
}

TEST(DataOptions, AnImageMayBeWiderThanHigh) {
  models::ModelSpec spec = grey_48();
  spec.image_size = {32, 48};
  const image::Size size = transform_options({}, spec, false).size;
  EXPECT_EQ(size.height, 32);
  EXPECT_EQ(size.width, 48);
}

// timm's, which depend on the crop.
TEST(DataOptions, ScaleAndRatioAreThoseOfTheCropUnlessGiven) {
  config::Recipe recipe;
  const auto options = [&] {
    return transform_options(recipe, grey_48(), true);
  };
  recipe.data.augment.crop = TrainCrop::kResized;
  EXPECT_EQ(options().scale, (std::array{0.08, 1.0}));
  EXPECT_EQ(options().ratio, (std::array{0.75, 4.0 / 3.0}));
  recipe.data.augment.crop = TrainCrop::kRkrr;
  EXPECT_EQ(options().scale, (std::array{0.8, 1.0}));
  EXPECT_EQ(options().ratio, (std::array{0.9, 1 / 0.9}));
  recipe.data.augment.scale = {0.5, 0.6};
  EXPECT_EQ(options().scale, (std::array{0.5, 0.6}));
}

TEST(DataOptions, TrainingResizesAsEvaluationUnlessToldOtherwise) {
  config::Recipe recipe;
  recipe.data.preprocess.interpolation = Filter::kBilinear;
  const auto options = [&](config::TrainInterpolation interpolation) {
    recipe.data.augment.interpolation = interpolation;
    return transform_options(recipe, grey_48(), true);
  };
  using enum config::TrainInterpolation;
  EXPECT_EQ(options(kSame).train_filter, Filter::kBilinear);
  EXPECT_FALSE(options(kSame).random_filter);
  EXPECT_EQ(options(kBicubic).train_filter, Filter::kBicubic);
  EXPECT_EQ(options(kBicubic).filter, Filter::kBilinear);
  EXPECT_TRUE(options(kRandom).random_filter);
}

TEST(DataOptions, OnlyABorderIsFilled) {
  config::Recipe recipe;
  recipe.data.preprocess.mean = {1.0, 0.0, 1.0};
  EXPECT_EQ(
      transform_options(recipe, grey_48(), false).fill,
      (std::array<std::uint8_t, 3>{}));
  recipe.data.preprocess.crop_mode = CropMode::kBorder;
  EXPECT_EQ(
      transform_options(recipe, grey_48(), false).fill,
      (std::array<std::uint8_t, 3>{255, 0, 255}));
}

TEST(DataOptions, AnEvaluationReplacesNoSamples) {
  config::Recipe recipe;
  recipe.data.on_bad_sample = config::OnBadSample::kReplace;
  EXPECT_TRUE(bad_sample_policy(recipe, true).replace);
  EXPECT_FALSE(bad_sample_policy(recipe, false).replace);
}

// A sampler counts in micro-batches of a device.
TEST(DataOptions, ASamplerSharesTheGlobalBatch) {
  config::Recipe recipe;
  EXPECT_EQ(make_samplers(recipe, nullptr, 1), nullptr);
  recipe.data.batch_mode = config::BatchMode::kGlobal;
  recipe.data.batch_size = 12;
  recipe.train.accumulate = 2;
  const data::Index index(
      {.options = {.kind = SourceKind::kRandom},
       .classes = {"a", "b"},
       .samples = 100});
  const auto samplers = make_samplers(recipe, &index, 3);
  ASSERT_EQ(samplers->stages().size(), 1u);
  const data::BatchGeometry& geometry = samplers->of_epoch(0).geometry_of(0);
  EXPECT_EQ(geometry.per_device, 4);
  EXPECT_EQ(geometry.world, 3);
  EXPECT_EQ(geometry.accumulate, 2);
}

// It named data.batch_size, which was right.
TEST(DataOptions, ABatchThatIsTooLargeIsNamedByItsStage) {
  config::Recipe recipe;
  recipe.run.epochs = 6;
  recipe.data.batch_size = 12;
  recipe.data.augment.stages = {"{from_epoch: 2, batch_size: 200}"};
  const data::Index index(
      {.options = {.kind = SourceKind::kRandom},
       .classes = {"a", "b"},
       .samples = 100});
  try {
    make_samplers(recipe, &index, 1);
    FAIL() << "accepted";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::kUsage);
    expect_message(
        error.what(), {"data.augment.stages", "batch_size", "2", "100"});
  }
}

// A stage with another batch size uses the samples of a run with that batch
// size; an epoch begun by other workers belongs to its stage.
TEST(DataOptions, StagesHaveSamplersOfTheirBatch) {
  config::Recipe recipe;
  recipe.run.epochs = 6;
  recipe.data.batch_size = 12;
  recipe.data.augment.stages = {
      "{from_epoch: 3, image_size: 64}",
      "{from_epoch: 4, batch_size: 8}",
      "{from_epoch: 5, batch_size: 4}"};
  recipe.data.sampler.policy = SamplerPolicy::kShardThenShuffle;
  const data::Index index(
      {.options = {.kind = SourceKind::kRandom},
       .classes = {"a", "b"},
       .samples = 100});
  const auto samplers = make_samplers(recipe, &index, 2);
  ASSERT_EQ(samplers->stages().size(), 3u);
  EXPECT_EQ(samplers->of_epoch(2).steps_per_epoch(), 4);
  EXPECT_EQ(samplers->of_epoch(3).steps_per_epoch(), 6);
  EXPECT_EQ(samplers->of_epoch(9).steps_per_epoch(), 12);
  config::Recipe alone = recipe;
  alone.data.augment.stages.clear();
  alone.data.batch_size = 8;
  EXPECT_EQ(
      samplers->of_epoch(3).micro_batch(3, 1, 1),
      make_samplers(alone, &index, 2)->of_epoch(3).micro_batch(3, 1, 1));
  const auto others = make_samplers(
      recipe,
      &index,
      2,
      data::PartialEpoch{3, 2, {.per_device = 4, .world = 4, .accumulate = 1}});
  EXPECT_EQ(others->of_epoch(2).partial_epoch(), std::nullopt);
  EXPECT_EQ(others->of_epoch(3).partial_epoch(), 3);
  EXPECT_EQ(others->of_epoch(4).partial_epoch(), std::nullopt);
}

} // namespace
} // namespace vitrain::job
