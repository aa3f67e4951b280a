#include "engine/report/memory_estimate.h"

#include <vector>

#include <ATen/core/Tensor.h>
#include <gtest/gtest.h>

#include "engine/step/parameter_groups.h"
#include "models/resolve.h"
#include "optim/rules/optimizers.h"

namespace vitrain::engine {
namespace {

struct Net {
  explicit Net(std::vector<std::string> freeze) {
    recipe.model.name = "resnet18";
    recipe.model.num_classes = 10;
    recipe.model.image_size = 64;
    recipe.model.freeze = std::move(freeze);
    recipe.optim.name = config::OptimKind::kAdamW;
    recipe.data.batch_size = 4;
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

// Backward stops at the classifier, so that frozen layers keep no activations.
TEST(MemoryEstimate, AFrozenBackboneKeepsNoActivations) {
  const std::int64_t all = Net({}).estimate().activations;
  const std::int64_t head =
      Net({"conv1", "bn*", "layer?"}).estimate().activations;
  EXPECT_LT(head, all);
}

} // namespace
} // namespace vitrain::engine
