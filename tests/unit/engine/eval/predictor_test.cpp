#include "engine/eval/predictor.h"

#include <algorithm>
#include <array>
#include <limits>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <ATen/ATen.h>

#include "core/error.h"
#include "data/kinds/datasets.h"
#include "data/load/image_rows.h"
#include "models/families/vit.h"
#include "networks/model.h"
#include "networks/uninitialized_model.h"
#include "unit/engine/fixtures.h"

namespace vitrain::engine {
namespace {

models::ModelSpec predicting_vit() {
  return test_vit(
      10,
      32,
      {.patch_size = 8,
       .embed_dim = 48,
       .depth = 2,
       .num_heads = 3,
       .mlp_dim = 96});
}

class PredictorTest : public ::testing::Test {
 protected:
  PredictorTest() {
    const at::NoGradGuard no_grad;
    for (at::Tensor& parameter : model_->parameters()) {
      parameter.mul_(3);
    }
  }

  std::vector<results::Prediction>
  predict(const data::TolerantRows& rows, int lanes, std::int64_t batch) const {
    const std::array<c10::Device, 1> cpu{c10::Device(c10::kCPU)};
    const Predictor predictor(
        model_,
        spec_,
        config::Recipe(),
        cpu,
        {.batch = batch, .top = 3, .threads = lanes, .lanes = lanes});
    std::vector<results::Prediction> all;
    predictor.run(
        rows,
        [&](std::int64_t first,
            std::span<const results::Prediction> predictions) {
          EXPECT_EQ(first, std::ssize(all));
          all.insert(all.end(), predictions.begin(), predictions.end());
        });
    return all;
  }

  models::ModelSpec spec_ = predicting_vit();
  std::shared_ptr<networks::Model> model_ = networks::make_model(spec_, 1);
};

TEST_F(PredictorTest, GivesTheSameBitsInOrderWhateverComputesThem) {
  const data::ImageRows rows(
      data::open(std::make_shared<const data::Index>(data::list(
          {.kind = data::SourceKind::kShapes, .count = 23, .size = 32}))),
      {.size = 32, .crop_pct = 1.0});
  const data::TolerantRows tolerant(rows, /*reject_warnings=*/false);
  const auto alone = predict(tolerant, 1, 4);
  ASSERT_EQ(alone.size(), 23U);
  EXPECT_EQ(predict(tolerant, 3, 4), alone);
  // With another shape of batches sums may be in another order.
  const auto others = predict(tolerant, 2, 23);
  for (std::size_t i = 0; i < alone.size(); ++i) {
    ASSERT_EQ(alone[i].top.size(), 3U);
    EXPECT_NEAR(
        alone[i].top[0].probability, others[i].top[0].probability, 1e-5);
  }
}

// Rows that are files which do not exist, but for some.
class Holes final : public data::Rows {
 public:
  explicit Holes(std::shared_ptr<const data::Index> index)
      : Rows(std::move(index)) {}
  std::size_t bytes() const override { return 32 * 32 * 3; }
  data::RowDefects fill(
      const data::Draw& draw,
      std::span<std::uint8_t> out,
      Scratch& /*scratch*/) const override {
    if (draw.sample % 3 == 1) {
      throw vitrain::Error(
          ExitCode::kData, describe(draw.sample) + ": is a hole");
    }
    std::ranges::fill(out, static_cast<std::uint8_t>(9 * draw.sample));
    return {};
  }
  std::string describe(std::int64_t sample) const override {
    return "row " + std::to_string(sample);
  }
};

TEST_F(PredictorTest, SaysWhyThereIsNothingToSay) {
  const Holes holes(std::make_shared<const data::Index>(data::list(
      {.kind = data::SourceKind::kShapes, .count = 11, .size = 32})));
  const data::TolerantRows rows(holes, /*reject_warnings=*/false);
  const auto predictions = predict(rows, 2, 4);
  ASSERT_EQ(predictions.size(), 11U);
  for (std::size_t i = 0; i < predictions.size(); ++i) {
    EXPECT_EQ(predictions[i].problem, i % 3 == 1 ? "is a hole" : "") << i;
    EXPECT_EQ(predictions[i].top.size(), i % 3 == 1 ? 0U : 3U) << i;
  }
}

TEST_F(PredictorTest, SaysThatOutputsAreNotFinite) {
  const Holes holes(std::make_shared<const data::Index>(
      data::list({.kind = data::SourceKind::kShapes, .count = 1, .size = 32})));
  const at::NoGradGuard no_grad;
  model_->parameters().back().fill_(std::numeric_limits<float>::infinity());
  const auto predictions =
      predict(data::TolerantRows(holes, /*reject_warnings=*/false), 1, 1);
  EXPECT_EQ(predictions.at(0).problem, "the network's outputs are not finite");
}

TEST_F(PredictorTest, PassesOnWhatTakesTheResultsThrows) {
  const Holes holes(std::make_shared<const data::Index>(data::list(
      {.kind = data::SourceKind::kShapes, .count = 40, .size = 32})));
  const data::TolerantRows rows(holes, /*reject_warnings=*/false);
  const std::array<c10::Device, 1> cpu{c10::Device(c10::kCPU)};
  const Predictor predictor(
      model_, spec_, config::Recipe(), cpu, {.batch = 2, .lanes = 2});
  EXPECT_THROW(
      predictor.run(
          rows,
          [](std::int64_t, std::span<const results::Prediction>) {
            throw vitrain::Error(ExitCode::kStorage, "the disk is full");
          }),
      vitrain::Error);
}

TEST(BlankModel, HasTheShapesOfANewOne) {
  const auto blank = networks::make_uninitialized_model(predicting_vit());
  const auto full = networks::make_model(predicting_vit(), 0);
  EXPECT_FALSE(blank->is_training());
  const auto shapes = blank->named_parameters();
  for (const auto& item : full->named_parameters()) {
    ASSERT_TRUE(shapes.contains(item.key()));
    EXPECT_EQ(shapes[item.key()].sizes(), item.value().sizes());
    EXPECT_TRUE(shapes[item.key()].is_cpu());
  }
  // Random initialisation works again afterwards.
  EXPECT_NE(full->parameters().front().abs().sum().item<float>(), 0.0F);
}

} // namespace
} // namespace vitrain::engine
