#include "engine/step/train_step.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include <ATen/ATen.h>

#include "core/error.h"
#include "engine/step/gradient_exchange.h"
#include "optim/rules/optimizers.h"
#include "support/messages.h"
#include "unit/engine/fixtures.h"

namespace vitrain::engine {
namespace {

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

MicroBatch bad_batch() {
  MicroBatch batch = batch_of(0, 4);
  batch.inputs = batch.inputs.clone();
  batch.inputs[0][0][0][0] = std::numeric_limits<float>::quiet_NaN();
  return batch;
}

// Everything that one worker needs for a step.
struct Bench {
  using MakeSync = std::unique_ptr<dist::GradientSync> (*)(Bench&);

  explicit Bench(
      double clip_norm = 0.0,
      MakeSync make_sync = all_reduce,
      double sam = 0.0,
      bool defer_norm_check = false,
      bool skip_non_finite = false)
      : Bench(
            {.loss = {.label_smoothing = 0.1},
             .clipping = {.norm = clip_norm},
             .sam = sam,
             .defer_norm_check = defer_norm_check,
             .skip_non_finite = skip_non_finite},
            make_sync) {}
  explicit Bench(
      const TrainStepOptions& options,
      MakeSync make_sync = all_reduce)
      : model(networks::make_model(tiny_vit(), 3)),
        parameters(*model, 0.05, {"bias", "norm"}),
        optimizer(optim::make_optimizer(parameters, {})),
        sync(make_sync(*this)),
        step(*model, parameters, *optimizer, *sync, options) {}

  static std::unique_ptr<dist::GradientSync> all_reduce(Bench& bench) {
    return dist::make_bucketed_all_reduce(
        bench.group, gradient_buffers(bench.parameters), {});
  }
  static std::unique_ptr<dist::GradientSync> predicting(Bench& bench) {
    return dist::make_delayed_all_reduce(
        bench.group,
        replica_buffers(bench.parameters, *bench.optimizer),
        {},
        /*predict=*/true);
  }

  void train(const MicroBatch& batch, double lr = 1e-3) {
    step.begin(step_of(batch.targets.size(0)));
    step.micro_batch(batch, /*last=*/true);
    step.finish(lr);
  }

  at::Tensor weights() const {
    return parameters.groups().front().parameters.clone();
  }

  dist::Group group;
  std::shared_ptr<networks::Model> model;
  optim::FlatState parameters;
  std::unique_ptr<optim::Optimizer> optimizer;
  std::unique_ptr<dist::GradientSync> sync;
  TrainStep step;
};

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

// Twenty steps, also uphill and with blocks that are computed again: the copies
// follow the weights.
TEST(TrainStep, CopiesOfTheWeightsTrainAsAutocastDoes) {
  for (const double sam : {0.0, 0.05}) {
    TrainStepOptions options{.sam = sam, .products = at::kBFloat16};
    Bench plain(options);
    options.narrow_weights = true;
    Bench narrow(options);
    options.recompute = 1;
    Bench again(options);
    double first = 0.0;
    double last = 0.0;
    for (int t = 0; t < 20; ++t) {
      for (Bench* bench : {&plain, &narrow, &again}) {
        bench->train(batch_of(0, 8), 3e-3);
      }
      last = plain.step.take_sums().loss;
      first = t == 0 ? last : first;
      // Gradients of linear layers are not rounded to bf16 (2^-9).
      EXPECT_NEAR(narrow.step.take_sums().loss, last, 5e-3 * last) << t;
      EXPECT_TRUE(at::equal(narrow.weights(), again.weights())) << t;
    }
    EXPECT_LT(last, 0.9 * first);
  }
}

// Foret et al., "Sharpness-aware minimization", ICLR 2021, equation 3: the
// update is made from the gradient at w + rho g / |g|.
TEST(TrainStep, SamTakesTheGradientUphill) {
  constexpr double kRho = 0.05;
  Bench sam(0.0, Bench::all_reduce, kRho);
  Bench by_hand;
  const MicroBatch batch = batch_of(0, 8);
  std::vector<at::Tensor> weights;
  const auto gradients_at_weights = [&] {
    by_hand.step.begin(step_of(8));
    by_hand.step.micro_batch(batch, /*last=*/true);
    by_hand.sync->finish();
  };
  gradients_at_weights();
  const double loss = by_hand.step.take_sums().loss;
  {
    const at::NoGradGuard no_grad;
    const at::Tensor norm = optim::clip_gradients(by_hand.parameters, {});
    for (optim::FlatGroup& group : by_hand.parameters.groups()) {
      weights.push_back(group.parameters.clone());
      group.parameters.add_(group.gradients / norm * kRho);
    }
  }
  gradients_at_weights();
  {
    const at::NoGradGuard no_grad;
    for (std::size_t i = 0; i < weights.size(); ++i) {
      by_hand.parameters.groups()[i].parameters.copy_(weights[i]);
    }
  }
  by_hand.optimizer->step(1e-3, at::zeros({}));
  sam.train(batch);
  for (std::size_t i = 0; i < weights.size(); ++i) {
    // The climb rounds otherwise; weights are of order 1, gradients of 0.1.
    EXPECT_TRUE(at::allclose(
        sam.parameters.groups()[i].gradients,
        by_hand.parameters.groups()[i].gradients,
        /*rtol=*/1e-4,
        /*atol=*/1e-6));
    EXPECT_FALSE(at::equal(sam.parameters.groups()[i].parameters, weights[i]));
  }
  EXPECT_DOUBLE_EQ(sam.step.take_sums().loss, loss);
  // Parts of a batch climb each by itself, and their gradients are added.
  sam.step.begin(step_of(8));
  sam.step.micro_batch(batch_of(0, 5), /*last=*/false);
  const at::Tensor first = sam.parameters.groups()[0].gradients.clone();
  EXPECT_TRUE(first.any().item<bool>());
  const at::Tensor before = sam.weights();
  sam.step.micro_batch(batch_of(5, 3), /*last=*/true);
  EXPECT_TRUE(at::equal(sam.weights(), before));
  EXPECT_FALSE(at::equal(sam.parameters.groups()[0].gradients, first));
}

TEST(TrainStep, ANonFiniteGradientChangesNothing) {
  Bench bench;
  const at::Tensor before = bench.weights();
  const MicroBatch batch = bad_batch();
  bench.train(batch);
  EXPECT_TRUE(std::isnan(bench.step.gradient_norm()));
  EXPECT_TRUE(at::equal(before, bench.weights()));
  EXPECT_EQ(bench.optimizer->state().at("step").item<std::int64_t>(), 0);
  bench.train(batch_of(0, 4));
  EXPECT_TRUE(std::isfinite(bench.step.gradient_norm()));
  EXPECT_FALSE(at::equal(before, bench.weights()));
}

// As on GPUs: a later query reports the bad step, and the weights are those
// before it.
TEST(TrainStep, AStepThatIsSkippedLeavesNothing) {
  Bench skipping(0.0, Bench::all_reduce, 0.0, false, /*skip_non_finite=*/true);
  Bench without;
  skipping.train(batch_of(0, 4));
  skipping.train(bad_batch());
  skipping.train(batch_of(4, 4));
  without.train(batch_of(0, 4));
  without.train(batch_of(4, 4));
  const TrainSums sums = skipping.step.take_sums();
  const TrainSums expected = without.step.take_sums();
  EXPECT_EQ(sums.loss, expected.loss);
  EXPECT_EQ(sums.correct1, expected.correct1);
  EXPECT_EQ(sums.count, 8);
  const auto& groups = skipping.parameters.groups();
  for (std::size_t i = 0; i < groups.size(); ++i) {
    EXPECT_TRUE(at::equal(
        groups[i].parameters, without.parameters.groups()[i].parameters));
  }
}

TEST(TrainStep, ANonFiniteStepEndsUpdatesWhereItIsAskedForLate) {
  Bench bench(
      /*clip_norm=*/1.0,
      Bench::all_reduce,
      /*sam=*/0.0,
      /*defer_norm_check=*/true);
  bench.train(batch_of(0, 4));
  EXPECT_EQ(bench.step.steps_since_bad(), 0);
  const at::Tensor before = bench.weights();
  bench.train(bad_batch());
  bench.train(batch_of(0, 4));
  bench.train(batch_of(4, 4));
  EXPECT_TRUE(std::isnan(bench.step.gradient_norm()));
  EXPECT_EQ(bench.step.steps_since_bad(), 3);
  EXPECT_TRUE(at::equal(before, bench.weights()));
  EXPECT_EQ(bench.optimizer->state().at("step").item<std::int64_t>(), 1);
}

// With one worker the predicted mean is the mean: weights and state equal a run
// without delay, each gradient has its own learning rate, and the reported norm
// belongs to the real update.
TEST(TrainStep, APredictionOfOneWorkerIsExactAndNotReported) {
  constexpr double kClip = 0.5;
  Bench predicted(kClip, Bench::predicting);
  Bench plain(kClip);
  double norm = 0.0;
  double lr = 0.0;
  for (std::int64_t t = 0; t < 6; ++t) {
    lr = 1e-3 / static_cast<double>(1 + t);
    predicted.train(batch_of(t % 4, 4), lr);
    EXPECT_EQ(predicted.step.gradient_norm(), norm) << t;
    plain.train(batch_of(t % 4, 4), lr);
    norm = plain.step.gradient_norm();
    EXPECT_GT(norm, kClip);
    EXPECT_TRUE(at::equal(predicted.weights(), plain.weights())) << t;
  }
  predicted.step.flush(lr);
  EXPECT_EQ(predicted.step.gradient_norm(), norm);
  const auto state = predicted.optimizer->state();
  for (const auto& [name, tensor] : plain.optimizer->state()) {
    EXPECT_TRUE(at::equal(state.at(name), tensor)) << name;
  }
}

TEST(TrainStep, ANonFiniteGradientIsNotPredictedFrom) {
  Bench bench(0.0, Bench::predicting);
  bench.train(batch_of(0, 4));
  const at::Tensor before = bench.weights();
  bench.train(bad_batch()); // applies the first one, and guesses nothing
  EXPECT_TRUE(at::equal(before, bench.weights()));
  EXPECT_TRUE(std::isfinite(bench.step.gradient_norm()));
  bench.train(batch_of(4, 4)); // leaves out the bad one
  EXPECT_TRUE(std::isnan(bench.step.gradient_norm()));
  bench.train(batch_of(0, 4));
  EXPECT_TRUE(std::isfinite(bench.step.gradient_norm()));
  EXPECT_EQ(bench.optimizer->steps().item<double>(), 3); // one is a guess
  bench.step.flush(1e-3);
  EXPECT_EQ(bench.optimizer->steps().item<double>(), 3);
  EXPECT_TRUE(bench.weights().isfinite().all().item<bool>());
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

// Two roundings more or less of each gradient.
TEST(TrainStep, AnOptimizerThatDividesGradientsClipsThem) {
  TrainStepOptions options{.clipping = {.norm = 0.01}};
  Bench passes(options);
  options.fold_clipping = true;
  Bench folded(options);
  options.clipping.norm = 0.0;
  Bench whole(options);
  for (int t = 0; t < 5; ++t) {
    // Adam hardly sees the scale of gradients, unless it changes.
    for (Bench* bench : {&passes, &folded, &whole}) {
      bench->train(batch_of(0, 4 + t % 2));
    }
    EXPECT_EQ(folded.step.gradient_norm() > 0.01, true) << t;
    for (std::size_t i = 0; i < passes.parameters.groups().size(); ++i) {
      EXPECT_TRUE(at::allclose(
          folded.parameters.groups()[i].parameters,
          passes.parameters.groups()[i].parameters,
          /*rtol=*/1e-4,
          /*atol=*/1e-6));
    }
  }
  EXPECT_FALSE(at::allclose(whole.weights(), passes.weights(), 1e-4, 1e-6));
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
  EXPECT_EQ(refusal_after([](networks::Model&) {}), "");
  expect_message(
      refusal_after([](networks::Model& model) {
        model.register_parameter("gate", at::ones({2}));
      }),
      {});
  expect_message(
      refusal_after([](networks::Model& model) {
        model.named_parameters()["head.bias"].set_requires_grad(false);
      }),
      {"head.bias"});
  expect_message(
      refusal_after([](networks::Model& model) {
        model.named_parameters()["pos_embed"].set_data(at::zeros({1, 5, 16}));
      }),
      {"pos_embed"});
}

} // namespace
} // namespace vitrain::engine
