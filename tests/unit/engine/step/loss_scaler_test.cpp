#include "engine/step/loss_scaler.h"

#include <cmath>
#include <limits>

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include "engine/step/gradient_exchange.h"
#include "engine/step/train_step.h"
#include "optim/rules/optimizers.h"
#include "support/ranks.h"
#include "unit/engine/fixtures.h"

namespace vitrain::engine {
namespace {

struct ScalerStep {
  int bad;
  float scale;
  int finite_steps;
};

// Printed by tests/golden/loss_scaler.py; powers of two, so exact.
constexpr ScalerStep kScalerTrace[] = {
    {0, 65536.0F, 1},
    {0, 65536.0F, 2},
    {0, 131072.0F, 0},
    {1, 65536.0F, 0},
    {0, 65536.0F, 1},
    {0, 65536.0F, 2},
    {1, 32768.0F, 0},
    {1, 16384.0F, 0},
    {0, 16384.0F, 1},
    {0, 16384.0F, 2},
    {0, 32768.0F, 0},
};

TEST(LossScaler, GoesAsGradScalerDoes) {
  LossScaler scaler(LossScaling{.interval = 3}, at::kCPU);
  for (const ScalerStep& step : kScalerTrace) {
    scaler.update(at::full({}, step.bad, at::kFloat));
    EXPECT_EQ(scaler.scale().item<float>(), step.scale);
    EXPECT_EQ(scaler.finite_steps().item<int>(), step.finite_steps);
  }
}

// A worker that trains in fp32: scale, overflow and what follows from them are
// the same arithmetic.
struct ScaledTrainee {
  explicit ScaledTrainee(
      const TrainStepOptions& options,
      dist::Group* group = nullptr)
      : model(networks::make_model(tiny_vit(), 3)),
        parameters(*model, 0.05, {"bias", "norm"}),
        optimizer(optim::make_optimizer(parameters, {})),
        sync(dist::make_bucketed_all_reduce(
            group == nullptr ? alone : *group,
            gradient_buffers(parameters),
            {})),
        step(*model, parameters, *optimizer, *sync, options) {}

  // A step of two micro-batches on each of `ranks` workers.
  void train(float pixel = 1.0F, int ranks = 1) {
    at::Tensor images =
        at::linspace(-9, 9, 8 * 3 * 16 * 16).view({8, 3, 16, 16}).sin();
    images[0][0][0][0] = pixel;
    const at::Tensor labels = at::arange(8).remainder(6);
    step.begin(
        {.step = 0,
         .samples =
             std::vector<std::int64_t>(static_cast<std::size_t>(ranks), 8)});
    for (const std::int64_t first : {0, 4}) {
      step.micro_batch(
          {.inputs = images.narrow(0, first, 4),
           .targets = labels.narrow(0, first, 4)},
          /*last=*/first == 4);
    }
    step.finish(1e-3);
  }

  std::vector<at::Tensor> weights() const {
    std::vector<at::Tensor> weights;
    for (const optim::FlatGroup& group : parameters.groups()) {
      weights.push_back(group.parameters.clone());
    }
    return weights;
  }
  std::int64_t updates() const {
    return optimizer->state().at("step").item<std::int64_t>();
  }

  dist::Group alone;
  std::shared_ptr<networks::Model> model;
  optim::FlatState parameters;
  std::unique_ptr<optim::Optimizer> optimizer;
  std::unique_ptr<dist::GradientSync> sync;
  TrainStep step;
};

void expect_same_weights(const ScaledTrainee& a, const ScaledTrainee& b) {
  const auto left = a.weights();
  const auto right = b.weights();
  for (std::size_t i = 0; i < left.size(); ++i) {
    EXPECT_TRUE(at::equal(left[i], right[i])) << i;
  }
}

constexpr float kNotANumber = std::numeric_limits<float>::quiet_NaN();

// A power of 2 changes no bit, whatever lies between the loss and the update.
TEST(ScaledStep, IsTheStepWithoutAScale) {
  for (TrainStepOptions options :
       {TrainStepOptions{},
        TrainStepOptions{.clipping = {.norm = 0.1}},
        TrainStepOptions{.clipping = {.agc = 0.01, .value = 0.05}},
        TrainStepOptions{.sam = 0.05}}) {
    ScaledTrainee plain(options);
    options.loss_scaling = LossScaling{.interval = 2};
    ScaledTrainee scaled(options);
    for (int t = 0; t < 5; ++t) {
      plain.train();
      scaled.train();
      EXPECT_EQ(scaled.step.gradient_norm(), plain.step.gradient_norm());
    }
    EXPECT_EQ(scaled.step.loss_scale(), 262144.0); // has grown twice
    EXPECT_EQ(plain.step.loss_scale(), std::nullopt);
    expect_same_weights(plain, scaled);
  }
}

// From the top of fp32 on, until gradients fit: the first step that counts is
// the first one of a run without a scale.
TEST(ScaledStep, ThatOverflowsChangesNothingAndHalvesTheScale) {
  const double top = std::ldexp(1.0, 127);
  ScaledTrainee scaled({.loss_scaling = LossScaling{.initial = top}});
  const ScaledTrainee untrained({});
  scaled.train();
  EXPECT_EQ(scaled.step.loss_scale(), top / 2);
  EXPECT_EQ(scaled.step.gradient_norm(), 0.0);
  EXPECT_EQ(scaled.updates(), 0);
  expect_same_weights(scaled, untrained);
  int skipped = 1;
  while (scaled.updates() == 0 && skipped < 40) {
    scaled.train();
    skipped += scaled.updates() == 0 ? 1 : 0;
  }
  ScaledTrainee plain({});
  plain.train();
  expect_same_weights(scaled, plain);
  EXPECT_EQ(scaled.step.gradient_norm(), plain.step.gradient_norm());
  EXPECT_EQ(scaled.step.loss_scale(), std::ldexp(top, -skipped));
  EXPECT_EQ(scaled.step.steps_since_bad(), 0);
}

// The reported norm belongs to the last step that changed the weights, and the
// run learns late how long the scale has been too small.
TEST(ScaledStep, CountsFromAScaleThatIsTooSmall) {
  ScaledTrainee trainee(
      {.loss_scaling = LossScaling{.initial = 3 * LossScaler::kLeast},
       .defer_norm_check = true});
  trainee.train();
  const double norm = trainee.step.gradient_norm();
  EXPECT_GT(norm, 0.0);
  trainee.train(kNotANumber); // 1.5 times the least
  EXPECT_EQ(trainee.step.steps_since_bad(), 0);
  EXPECT_EQ(trainee.step.gradient_norm(), norm);
  trainee.train(kNotANumber);
  EXPECT_EQ(trainee.step.steps_since_bad(), 1);
  trainee.train();
  trainee.train();
  EXPECT_EQ(trainee.step.steps_since_bad(), 3);
}

// The scale and how soon it grows.
TEST(ScaledStep, GoesOnFromItsState) {
  const TrainStepOptions options{.loss_scaling = LossScaling{.interval = 3}};
  ScaledTrainee first(options);
  first.train(kNotANumber);
  first.train();
  first.train();
  ScaledTrainee second(options);
  for (auto& [name, tensor] : second.step.state()) {
    at::Tensor(tensor).copy_(first.step.state().at(name));
  }
  EXPECT_EQ(second.step.loss_scale(), 32768.0);
  second.train();
  EXPECT_EQ(second.step.loss_scale(), 65536.0);
  EXPECT_TRUE(ScaledTrainee({}).step.state().empty());
}

TEST(ScaledStep, IsSkippedByAllRanksWhereOneOverflows) {
  testing::run_ranks(2, [](testing::Rank& rank) {
    ScaledTrainee trainee({.loss_scaling = LossScaling{}}, &rank.data());
    const ScaledTrainee untrained({});
    trainee.train(rank.rank() == 1 ? kNotANumber : 1.0F, /*ranks=*/2);
    expect_same_weights(trainee, untrained);
    EXPECT_EQ(trainee.updates(), 0);
    EXPECT_EQ(trainee.step.loss_scale(), 32768.0);
    trainee.train(1.0F, /*ranks=*/2);
    EXPECT_EQ(trainee.updates(), 1);
  });
}

} // namespace
} // namespace vitrain::engine
