#include "networks/layers/recompute.h"

#include <vector>

#include <ATen/ATen.h>
#include <ATen/CPUGeneratorImpl.h>
#include <ATen/autocast_mode.h>
#include <gtest/gtest.h>

#include "models/resolve.h"
#include "networks/cost.h"
#include "networks/model.h"
#include "support/counting_allocator.h"
#include "unit/networks/fixtures.h"

namespace vitrain::networks {
namespace {

constexpr std::int64_t kRows = 2;

struct Pass {
  at::Tensor outputs;
  std::vector<at::Tensor> gradients;
  at::Tensor drawn; // the generator's state afterwards
  std::int64_t blocks = 0;
  // Additional bytes: after forward, and at the peak.
  std::int64_t kept = 0;
  std::int64_t peak = 0;
};

// Forward and backward in which branches and numbers are dropped.
Pass pass_of(
    Model& model,
    std::int64_t size,
    std::int64_t every,
    bool bf16,
    std::int64_t images_count = kRows) {
  at::Generator dropout = at::detail::createCPUGenerator(7);
  at::Generator numbers = at::detail::createCPUGenerator(9);
  const at::Tensor images =
      at::empty({images_count, 3, size, size}).normal_(0.0, 1.0, numbers);
  at::Tensor drop;
  if (const auto rows = std::ssize(model.drop_rates()); rows > 0) {
    drop = at::empty({rows, images_count}).bernoulli_(0.7, numbers) / 0.7;
  }
  Pass pass;
  CountingAllocator memory;
  {
    const RecomputeScope scope(every);
    at::autocast::set_autocast_enabled(at::kCPU, bf16);
    at::autocast::set_autocast_cache_enabled(false);
    pass.outputs = model.forward(images, drop, dropout).to(at::kFloat);
    at::autocast::set_autocast_enabled(at::kCPU, false);
    pass.blocks = recomputable_blocks();
  }
  pass.kept = memory.held();
  at::cross_entropy_loss(pass.outputs, at::arange(images_count).remainder(5))
      .backward();
  pass.peak = memory.peak();
  for (at::Tensor& parameter : model.parameters()) {
    pass.gradients.push_back(parameter.grad().clone());
    parameter.mutable_grad() = at::Tensor();
  }
  pass.drawn = dropout.get_state();
  return pass;
}

void expect_same(const Pass& one, const Pass& other) {
  EXPECT_TRUE(at::equal(one.outputs, other.outputs));
  EXPECT_TRUE(at::equal(one.drawn, other.drawn));
  ASSERT_EQ(one.gradients.size(), other.gradients.size());
  for (std::size_t i = 0; i < one.gradients.size(); ++i) {
    EXPECT_TRUE(at::equal(one.gradients[i], other.gradients[i])) << i;
  }
}

struct Recomputed {
  const char* model;
  std::int64_t size;
  // So many that the gradients of the weights are not most of the memory.
  std::int64_t images = kRows;
};

class Recompute : public ::testing::TestWithParam<Recomputed> {};

TEST_P(Recompute, GivesTheSameBits) {
  config::ModelConfig config = named(GetParam().model);
  config.drop_path = 0.1;
  const auto spec = models::resolve(config, {5});
  const auto model = make_model(spec, /*seed=*/1);
  const Pass kept =
      pass_of(*model, GetParam().size, 0, false, GetParam().images);
  EXPECT_GT(kept.blocks, 1);
  const Pass again =
      pass_of(*model, GetParam().size, 1, false, GetParam().images);
  EXPECT_EQ(again.blocks, kept.blocks);
  expect_same(kept, again);
  EXPECT_LT(again.kept, kept.kept);
  EXPECT_LT(again.peak, kept.peak);
}

INSTANTIATE_TEST_SUITE_P(
    Families,
    Recompute,
    ::testing::Values(
        Recomputed{"vit_tiny_patch16_224", 224},
        Recomputed{"vit_dpwee_patch16_reg1_gap_256", 256},
        Recomputed{"swin_tiny_patch4_window7_224", 224},
        Recomputed{"convnext_atto", 224},
        Recomputed{"pit_ti_224", 224},
        Recomputed{"hvt_ti_1_patch16_224", 224},
        Recomputed{"poolformer_s12", 224},
        Recomputed{"pvt_v2_b0", 224},
        Recomputed{"mixer_s32_224", 224, 16}),
    [](const auto& param) { return std::string(param.param.model); });

std::shared_ptr<Model> deep_vit() {
  config::ModelConfig config = named("vit_tiny_patch4_16");
  config.embed_dim = 48;
  config.num_heads = 3;
  config.depth = 12;
  config.drop_path = 0.2;
  config.dropout = 0.1;
  return make_model(models::resolve(config, {5}), /*seed=*/1);
}

TEST(RecomputeVit, RepeatsDropoutAndAutocast) {
  const auto model = deep_vit();
  for (const bool bf16 : {false, true}) {
    const Pass kept = pass_of(*model, 16, 0, bf16);
    for (const std::int64_t every : {1, 2, 5}) {
      expect_same(kept, pass_of(*model, 16, every, bf16));
    }
  }
}

// One of 12 blocks is kept whole, and of the other blocks only the inputs, one
// fifteenth; gradients of weights, a quarter of the memory without
// recomputation, stay.
TEST(RecomputeVit, KeepsTheInputsOfBlocksOnly) {
  const auto model = make_model(
      models::resolve(named("vit_tiny_patch16_224"), {5}), /*seed=*/1);
  const Pass kept = pass_of(*model, 224, 0, false);
  const Pass second = pass_of(*model, 224, 2, false);
  const Pass all = pass_of(*model, 224, 1, false);
  EXPECT_LT(all.peak, kept.peak / 2);
  EXPECT_LT(all.peak, second.peak);
  EXPECT_LT(second.peak, kept.peak);
}

// Compares the estimate of -dry_run with a measurement.
TEST(RecomputeVit, ItsShareOfMemoryIsKnownBeforehand) {
  const models::ModelSpec spec =
      models::resolve(named("vit_tiny_patch16_224"), {5});
  const Cost cost = cost_of(spec);
  ASSERT_EQ(cost.blocks.size(), 11u); // the last one is not computed again
  EXPECT_EQ(cost.kept_share(0), 1.0);
  const auto model = make_model(spec, /*seed=*/1);
  const auto all = static_cast<double>(pass_of(*model, 224, 0, false).kept);
  for (const std::int64_t every : {1, 2, 4}) {
    // Behind the forward pass no block is there once more, nor its gradients,
    // nor what backward has freed.
    const double once = 3.0 * static_cast<double>(cost.blocks[0].results) /
        static_cast<double>(cost.bytes.kept);
    // Some results are counted that no backward needs, in the blocks and
    // elsewhere alike.
    EXPECT_NEAR(
        cost.kept_share(every) - once,
        static_cast<double>(pass_of(*model, 224, every, false).kept) / all,
        0.1)
        << every;
  }
  EXPECT_EQ(
      cost_of(models::resolve(named("resnet18"), {5})).kept_share(1), 1.0);
}

TEST(RecomputeVit, AFrozenBeginningIsNotComputedAgain) {
  const auto model = deep_vit();
  for (auto& item : model->named_parameters()) {
    item.value().set_requires_grad(item.key().starts_with("head"));
  }
  const RecomputeScope scope(1);
  const at::Tensor outputs =
      model->forward(at::ones({2, 3, 16, 16}), /*drop=*/{});
  outputs.sum().backward();
  for (const auto& item : model->named_parameters()) {
    EXPECT_EQ(item.value().grad().defined(), item.key().starts_with("head"));
  }
}

} // namespace
} // namespace vitrain::networks
