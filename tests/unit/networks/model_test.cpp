#include "networks/model.h"

#include <ATen/ATen.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/error.h"
#include "models/resolve.h"
#include "unit/networks/fixtures.h"

namespace vitrain::networks {
namespace {

std::shared_ptr<Model>
tiny_vit(std::int64_t depth, double drop_path, std::int64_t image = 16) {
  config::ModelConfig config;
  config.name = "vit_tiny_patch8_16";
  config.image_size = image;
  config.embed_dim = 24;
  config.num_heads = 3;
  config.depth = depth;
  config.drop_path = drop_path;
  auto model = make_model(models::resolve(config, {3}), /*seed=*/1);
  set_parameters(*model);
  return model;
}

TEST(Model, RaisesDropPathLinearlyOverTheBlocks) {
  EXPECT_THAT(
      tiny_vit(3, 0.2)->drop_rates(),
      testing::ElementsAre(0.0, 0.0, 0.1, 0.1, 0.2, 0.2));
  EXPECT_TRUE(tiny_vit(3, 0.0)->drop_rates().empty());
  EXPECT_TRUE(tiny_vit(1, 0.2)->drop_rates().empty());
}

TEST(Model, WorksWithOneBlockAndOnePatch) {
  const auto model = tiny_vit(1, 0.0, 8);
  const at::Tensor logits = model->forward(at::ones({2, 3, 8, 8}), {});
  EXPECT_EQ(logits.sizes(), (at::IntArrayRef{2, 3}));
  logits.sum().backward();
  for (const auto& item : model->named_parameters()) {
    EXPECT_TRUE(item.value().grad().defined()) << item.key();
  }
}

TEST(Model, TakesBatchesOfOneAndStridedImages) {
  const at::NoGradGuard no_grad;
  const auto model = tiny_vit(2, 0.0);
  const at::Tensor batch =
      pattern(5 * 3 * 16 * 16, 3).to(at::kFloat).view({5, 3, 16, 16});
  const at::Tensor all = model->forward(batch, {});
  EXPECT_TRUE(at::allclose(
      model->forward(batch.narrow(0, 3, 1), {}),
      all.narrow(0, 3, 1),
      1e-5,
      1e-5));
  const at::Tensor last = batch.contiguous(at::MemoryFormat::ChannelsLast);
  EXPECT_TRUE(at::allclose(model->forward(last, {}), all, 1e-5, 1e-5));
}

TEST(Model, AllFactorsOneIsNoDropPath) {
  const at::NoGradGuard no_grad;
  const auto model = tiny_vit(3, 0.5);
  const at::Tensor batch =
      pattern(2 * 3 * 16 * 16, 4).to(at::kFloat).view({2, 3, 16, 16});
  EXPECT_TRUE(at::allclose(
      model->forward(batch, at::ones({6, 2})),
      model->forward(batch, {}),
      1e-5,
      1e-5));
}

// In training the second head is for the teacher; evaluation uses the mean of
// both.
TEST(Model, OfTwoHeadsGivesBothWhereTheyAreApart) {
  const at::NoGradGuard no_grad;
  for (const char* name :
       {"deit_tiny_distilled_patch16_224",
        "pit_ti_distilled_224",
        "levit_128s"}) {
    config::ModelConfig config;
    config.name = name;
    models::ModelSpec spec = models::resolve(config, {5});
    const auto mean = make_model(spec, /*seed=*/3);
    spec.heads_apart = true;
    const auto apart = make_model(spec, /*seed=*/3);
    mean->eval();
    apart->eval();
    const at::Tensor batch =
        pattern(2 * 3 * 224 * 224, 4).to(at::kFloat).view({2, 3, 224, 224});
    const at::Tensor expected = mean->forward(batch, {});
    EXPECT_TRUE(apart->forward(batch, {}).equal(expected)) << name;
    // Layers as in evaluation, heads as in training.
    apart->train();
    for (const auto& module : apart->modules(/*include_self=*/false)) {
      module->eval();
    }
    const at::Tensor both = apart->forward(batch, {});
    ASSERT_EQ(both.sizes(), (at::IntArrayRef{2, 10})) << name;
    const auto heads = both.chunk(2, 1);
    EXPECT_FALSE(heads[0].equal(heads[1])) << name;
    EXPECT_TRUE(((heads[0] + heads[1]) / 2).equal(expected)) << name;
  }
}

TEST(Model, RefusesImagesOfAnotherShape) {
  const auto model = tiny_vit(1, 0.0);
  EXPECT_THROW(model->forward(at::ones({2, 1, 16, 16}), {}), Error);
  EXPECT_THROW(model->forward(at::ones({2, 3, 16}), {}), Error);
}

TEST(Model, EvaluatesBatchNormWithItsRunningStatistics) {
  const at::NoGradGuard no_grad;
  config::ModelConfig config;
  config.name = "resnet18";
  const auto model = make_model(models::resolve(config, {3}), /*seed=*/1);
  set_parameters(*model);
  const at::Tensor batch =
      pattern(3 * 3 * 32 * 32, 5).to(at::kFloat).view({3, 3, 32, 32});
  model->forward(batch, {});
  const at::Tensor steps = model->named_buffers()["bn1.num_batches_tracked"];
  EXPECT_EQ(steps.item<std::int64_t>(), 1);
  model->eval();
  const at::Tensor all = model->forward(batch, {});
  EXPECT_EQ(steps.item<std::int64_t>(), 1);
  EXPECT_TRUE(at::allclose(
      model->forward(batch.narrow(0, 1, 1), {}),
      all.narrow(0, 1, 1),
      1e-4,
      1e-4));
}

} // namespace
} // namespace vitrain::networks
