#include "engine/report/memory_estimate.h"

#include <cstdlib>
#include <vector>

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include "engine/state/named_state.h"
#include "engine/step/parameter_groups.h"
#include "models/resolve.h"
#include "networks/cost.h"
#include "networks/networks.h"
#include "optim/ema.h"
#include "optim/rules/optimizers.h"
#include "support/counting_allocator.h"

namespace vitrain::engine {
namespace {

struct Net {
  explicit Net(
      std::vector<std::string> freeze,
      const std::string& name = "resnet18") {
    recipe.model.name = name;
    recipe.model.num_classes = 10;
    recipe.model.image_size = 128;
    recipe.model.freeze = std::move(freeze);
    recipe.optim.name = config::OptimKind::kAdamW;
    recipe.data.batch_size = 8;
    recipe.data.eval_batch_size = 1;
    recipe.train.ema.decay = 0.9;
    spec = models::resolve(recipe.model, {.outputs = 10});
  }

  MemoryEstimate estimate() const {
    const config::Plan plan = config::make_plan(
        recipe,
        config::plan_batch(recipe, /*devices=*/1),
        {.train_samples = 400, .steps_per_epoch = 100});
    return estimate_memory(
        recipe, plan, spec, /*bf16=*/false, /*evaluates=*/false);
  }

  config::Recipe recipe;
  models::ModelSpec spec;
};

// Bytes that training keeps for the parameters of a network.
struct Held {
  std::int64_t gradients = 0;
  std::int64_t optimizer = 0;
  std::int64_t average = 0;
};

Held held_by(const Net& net) {
  const auto model = networks::make_model(net.spec, /*seed=*/0);
  freeze(*model, net.recipe.model);
  optim::FlatState state(*model, 0.05, {"bias", "norm"});
  const auto optimizer = optim::make_optimizer(state, net.recipe.optim);
  const optim::Ema ema(*model, state, {.decay = 0.9});
  Held held;
  for (const optim::FlatGroup& group : state.groups()) {
    held.gradients += static_cast<std::int64_t>(group.gradients.nbytes());
  }
  for (const at::Tensor& buffer : optimizer->buffers()) {
    held.optimizer += static_cast<std::int64_t>(buffer.nbytes());
  }
  for (const at::Tensor& average : ema.parameters()) {
    held.average += static_cast<std::int64_t>(average.nbytes());
  }
  for (const auto& item : model->named_parameters()) {
    EXPECT_EQ(item->grad().defined(), item->requires_grad()) << item.key();
  }
  return held;
}

struct Case {
  std::vector<std::string> freeze;
  std::int64_t trained = 0; // values, by torchvision's resnet18
};

// The estimate and what training keeps, which is more by the gaps of flat
// buffers: up to 60 bytes for each of 62 parameters.
TEST(MemoryEstimate, FrozenParametersHaveNoGradientsAndNoMoments) {
  for (const Case& one :
       {Case{{}, 11'181'642},
        Case{{"conv1", "bn1", "layer1", "layer2"}, 10'498'570},
        Case{{"conv1", "bn*", "layer?"}, 5'130}}) {
    const Net net(one.freeze);
    const std::int64_t bytes = one.trained * 4;
    constexpr std::int64_t kGaps = 62 * 60;
    const MemoryEstimate estimate = net.estimate();
    EXPECT_EQ(estimate.gradients, bytes);
    EXPECT_EQ(estimate.optimizer, 2 * bytes);
    const Held held = held_by(net);
    EXPECT_GE(held.gradients, bytes);
    EXPECT_LE(held.gradients, bytes + kGaps);
    EXPECT_GE(held.optimizer, 2 * bytes);
    EXPECT_LE(held.optimizer, 2 * (bytes + kGaps));
    EXPECT_LE(held.average, bytes + kGaps);
  }
}

// Returns the bytes of tensors after a forward pass, which backward needs.
std::int64_t kept_memory(const Net& net) {
  const auto model = networks::make_model(net.spec, /*seed=*/0);
  freeze(*model, net.recipe.model);
  const CountingAllocator memory;
  const at::Tensor images = at::ones(
      {net.recipe.data.batch_size,
       3,
       net.spec.image_size.height,
       net.spec.image_size.width});
  const at::Tensor outputs = model->forward(images, {});
  return memory.held();
}

// Returns the same of one image, as it is estimated.
std::int64_t kept_estimate(const Net& net) {
  const auto model = networks::make_network(net.spec, at::Generator());
  freeze(*model, net.recipe.model);
  return networks::cost_of(net.spec, *model).bytes.kept;
}

// Layers before the first trained parameter keep no activations.
TEST(MemoryEstimate, FrozenFirstLayersKeepNoActivations) {
  for (const auto& [name, freeze] :
       std::vector<std::pair<std::string, std::vector<std::string>>>{
           {"resnet18", {"conv1", "bn1", "layer1", "layer2"}},
           {"resnet18", {"conv1", "bn*", "layer?"}},
           {"convnext_tiny", {"stem", "stages.0", "stages.1"}},
           {"vit_tiny_patch16_224",
            {"cls_token", "pos_embed", "patch_embed", "blocks.?"}}}) {
    const Net all({}, name);
    const Net some(freeze, name);
    const auto share = [](std::int64_t part, std::int64_t whole) {
      return static_cast<double>(part) / static_cast<double>(whole);
    };
    const double measured = share(kept_memory(some), kept_memory(all));
    EXPECT_LT(measured, 0.4) << name;
    // Operators keep some results, masks and statistics that are not counted.
    EXPECT_NEAR(share(kept_estimate(some), kept_estimate(all)), measured, 0.07)
        << name;
    EXPECT_LT(some.estimate().activations, all.estimate().activations) << name;
  }
}

// The network, its average and the optimizer's state, if a checkpoint is
// written before the last one.
TEST(MemoryEstimate, CountsTheCopyOfACheckpoint) {
  Net net({});
  const auto model = networks::make_model(net.spec, /*seed=*/0);
  std::int64_t values = 0;
  for (const auto& [name, tensor] : named_state(*model)) {
    values += tensor.numel();
  }
  const std::int64_t expected = 2 * values * 4 + held_by(net).optimizer;
  const auto is_near = [&](std::int64_t bytes) {
    return std::abs(bytes - expected) < expected / 100; // padding of buffers
  };
  EXPECT_TRUE(is_near(net.estimate().snapshot)) << net.estimate().snapshot;
  net.recipe.checkpoint.async = false;
  EXPECT_EQ(net.estimate().snapshot, 0);
  net.recipe.checkpoint.async = true;
  net.recipe.checkpoint.every = {1000.0, config::Duration::Unit::kEpochs};
  EXPECT_EQ(net.estimate().snapshot, 0);
}

} // namespace
} // namespace vitrain::engine
