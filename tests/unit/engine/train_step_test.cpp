#include "engine/train_step.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include <ATen/ATen.h>

#include "core/error.h"
#include "engine/exchange.h"

namespace vitrain::engine {
namespace {

using ::testing::HasSubstr;

models::ModelSpec tiny_spec() {
  models::ModelSpec spec;
  spec.name = "vit_test";
  spec.num_classes = 6;
  spec.image_size = 16;
  spec.vit = {
      .patch_size = 8,
      .embed_dim = 16,
      .depth = 2,
      .num_heads = 2,
      .mlp_dim = 32};
  return spec;
}

// Everything that one worker needs for a step.
struct Bench {
  explicit Bench(double clip_norm = 0.0)
      : model(models::make_model(tiny_spec(), 3)),
        parameters(*model, 0.05, {"bias", "norm"}),
        optimizer(optim::make_optimizer(parameters, {})),
        sync(dist::make_bucketed_all_reduce(
            group,
            gradient_buffers(parameters),
            {})),
        step(
            *model,
            parameters,
            *optimizer,
            *sync,
            {.loss = {.label_smoothing = 0.1}, .clip_norm = clip_norm}) {}

  at::Tensor weights() const {
    return parameters.groups().front().parameters.clone();
  }

  dist::Group group;
  std::shared_ptr<models::Model> model;
  optim::FlatState parameters;
  std::unique_ptr<optim::Optimizer> optimizer;
  std::unique_ptr<dist::GradientSync> sync;
  TrainStep step;
};

// The first step, with `samples` on the one worker.
dist::StepInfo step_of(std::int64_t samples) {
  return {.step = 0, .samples = {samples}};
}

MicroBatch batch_of(std::int64_t first, std::int64_t rows) {
  const at::Tensor images =
      at::linspace(-1, 1, 8 * 3 * 16 * 16).view({8, 3, 16, 16}).sin();
  return {
      .inputs = (images * 9).narrow(0, first, rows),
      .targets = at::arange(8).remainder(6).narrow(0, first, rows)};
}

TEST(TrainStep, UnequalMicroBatchesEqualTheWholeBatch) {
  Bench whole;
  whole.step.begin(step_of(8));
  whole.step.micro_batch(batch_of(0, 8), /*last=*/true);
  whole.step.finish(1e-3);
  Bench parts;
  parts.step.begin(step_of(8));
  parts.step.micro_batch(batch_of(0, 5), /*last=*/false);
  parts.step.micro_batch(batch_of(5, 3), /*last=*/false);
  parts.step.micro_batch(batch_of(0, 0), /*last=*/true); // nothing left
  parts.step.finish(1e-3);
  // fp32 sums in another order; the gradients are of order 0.1.
  for (std::size_t i = 0; i < 2; ++i) {
    EXPECT_TRUE(at::allclose(
        whole.parameters.groups()[i].gradients,
        parts.parameters.groups()[i].gradients,
        /*rtol=*/1e-4,
        /*atol=*/1e-6));
  }
  const TrainSums a = whole.step.take_sums();
  const TrainSums b = parts.step.take_sums();
  EXPECT_NEAR(a.loss, b.loss, 1e-4);
  EXPECT_EQ(a.count, 8);
  EXPECT_EQ(b.count, 8);
  EXPECT_EQ(a.correct1, b.correct1);
  EXPECT_EQ(whole.step.take_sums().count, 0);
}

TEST(TrainStep, ANonFiniteGradientChangesNothing) {
  Bench bench;
  const at::Tensor before = bench.weights();
  MicroBatch batch = batch_of(0, 4);
  batch.inputs = batch.inputs.clone();
  batch.inputs[0][0][0][0] = std::numeric_limits<float>::quiet_NaN();
  bench.step.begin(step_of(4));
  bench.step.micro_batch(batch, true);
  bench.step.finish(1e-3);
  EXPECT_TRUE(std::isnan(bench.step.gradient_norm()));
  EXPECT_TRUE(at::equal(before, bench.weights()));
  EXPECT_EQ(bench.optimizer->state().at("step").item<std::int64_t>(), 0);
  bench.step.begin(step_of(4));
  bench.step.micro_batch(batch_of(0, 4), true);
  bench.step.finish(1e-3);
  EXPECT_TRUE(std::isfinite(bench.step.gradient_norm()));
  EXPECT_FALSE(at::equal(before, bench.weights()));
}

TEST(TrainStep, ClippingBoundsTheNormOfAllGradientsTogether) {
  constexpr double kLimit = 0.01;
  Bench bench(kLimit);
  bench.step.begin(step_of(8));
  bench.step.micro_batch(batch_of(0, 8), true);
  bench.step.finish(1e-3);
  EXPECT_GT(bench.step.gradient_norm(), kLimit);
  double squares = 0;
  for (const optim::FlatGroup& flat : bench.parameters.groups()) {
    squares += flat.gradients.to(at::kDouble).pow(2).sum().item<double>();
  }
  EXPECT_NEAR(std::sqrt(squares), kLimit, 1e-6);
}

// The message of what `change` to a model in training leads to, in the next
// step or before the next evaluation.
template <typename Change>
std::string refusal_after(Change&& change) {
  Bench bench;
  bench.step.begin(step_of(4));
  bench.step.micro_batch(batch_of(0, 4), true);
  bench.step.finish(1e-3);
  change(*bench.model);
  try {
    bench.step.begin(step_of(4));
    bench.step.micro_batch(batch_of(0, 4), true);
    bench.step.finish(1e-3);
    bench.step.flush(1e-3);
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST(TrainStep, NamesTheParameterThatWasChangedInTraining) {
  EXPECT_EQ(refusal_after([](models::Model&) {}), "");
  EXPECT_THAT(
      refusal_after([](models::Model& model) {
        model.register_parameter("gate", at::ones({2}));
      }),
      HasSubstr("parameter gate was added"));
  EXPECT_THAT(
      refusal_after([](models::Model& model) {
        model.named_parameters()["head.bias"].set_requires_grad(false);
      }),
      HasSubstr("parameter head.bias was frozen"));
  EXPECT_THAT(
      refusal_after([](models::Model& model) {
        model.named_parameters()["pos_embed"].set_data(at::zeros({1, 5, 16}));
      }),
      HasSubstr("parameter pos_embed was replaced"));
}

} // namespace
} // namespace vitrain::engine
