#include "engine/step/data_parallel.h"

#include <gtest/gtest.h>

#include <ATen/ATen.h>

#include "engine/device/autocast.h"
#include "engine/step/gradient_exchange.h"
#include "engine/step/parameter_groups.h"
#include "engine/step/train_step.h"
#include "models/families/resnet.h"
#include "optim/grouping.h"
#include "optim/rules/optimizers.h"
#include "unit/engine/fixtures.h"

namespace vitrain::engine {
namespace {

models::ModelSpec tiny_resnet() {
  models::ModelSpec spec;
  spec.name = "resnet_test";
  spec.family = &models::kResNet;
  spec.num_classes = 6;
  spec.image_size = 32;
  spec.numbers =
      models::ResNetSpec{.blocks = {1, 1, 1, 1}, .bottleneck = false};
  return spec;
}

using Names = std::vector<std::string>;

std::shared_ptr<networks::Model> make_frozen(
    const models::ModelSpec& spec,
    std::uint64_t seed,
    const Names& frozen) {
  auto model = networks::make_model(spec, seed);
  config::ModelConfig config;
  config.freeze = frozen;
  freeze(*model, config);
  return model;
}

// A training step on `replicas` replicas; 1: the model itself.
struct Trainee {
  Trainee(const models::ModelSpec& spec, int replicas, const Names& frozen = {})
      : model(make_frozen(spec, 3, frozen)),
        parameters(*model, options.weight_decay, options.no_decay),
        optimizer(optim::make_optimizer(parameters, options)),
        sync(dist::make_bucketed_all_reduce(
            group,
            gradient_buffers(parameters),
            {})) {
    std::vector<std::unique_ptr<DataParallel::Replica>> others;
    for (int i = 1; i < replicas; ++i) {
      // Other weights at first: they must not matter.
      others.push_back(std::make_unique<DataParallel::Replica>(
          make_frozen(spec, 100, frozen),
          c10::kCPU,
          optim::grouping_of(options)));
    }
    if (replicas > 1) {
      parallel =
          std::make_unique<DataParallel>(*model, parameters, std::move(others));
    }
    step = std::make_unique<TrainStep>(
        replicas > 1 ? *parallel : *model,
        parameters,
        *optimizer,
        *sync,
        TrainStepOptions{});
  }

  // One step on the first `samples` images of this size.
  void train(std::int64_t samples, const at::Tensor& drop = {}) {
    const at::Tensor images = at::linspace(-9, 9, 8 * 3 * side() * side())
                                  .view({8, 3, side(), side()})
                                  .sin();
    step->begin({.step = 0, .samples = {samples}});
    step->micro_batch(
        {.inputs = images.narrow(0, 0, samples),
         .targets = at::arange(8).remainder(6).narrow(0, 0, samples),
         .drop = drop},
        /*last=*/true);
    step->finish(1e-3);
  }

  std::int64_t side() const {
    return model->named_buffers().is_empty() ? 16 : 32;
  }

  config::OptimConfig options;
  dist::Group group;
  std::shared_ptr<networks::Model> model;
  optim::FlatState parameters;
  std::unique_ptr<optim::Optimizer> optimizer;
  std::unique_ptr<dist::GradientSync> sync;
  std::unique_ptr<DataParallel> parallel;
  std::unique_ptr<TrainStep> step;
};

// fp32 sums in another order; the gradients are of order 0.1.
void expect_same_gradients(const Trainee& a, const Trainee& b) {
  for (std::size_t i = 0; i < a.parameters.groups().size(); ++i) {
    EXPECT_TRUE(at::allclose(
        a.parameters.groups()[i].gradients,
        b.parameters.groups()[i].gradients,
        /*rtol=*/1e-4,
        /*atol=*/1e-6));
  }
}

// 8: chunks of 3, 3, 2; 2: fewer samples than replicas.
TEST(DataParallel, GradientsAndLossAreThoseOfOneReplica) {
  for (const std::int64_t samples : {8, 2}) {
    Trainee alone(tiny_vit(), 1);
    Trainee parallel(tiny_vit(), 3);
    for (int t = 0; t < 2; ++t) {
      alone.train(samples);
      parallel.train(samples);
      parallel.step->flush(1e-3); // the parameters of the first device
      expect_same_gradients(alone, parallel);
      const TrainSums a = alone.step->take_sums();
      const TrainSums b = parallel.step->take_sums();
      EXPECT_NEAR(a.loss, b.loss, 1e-5 * a.loss) << samples;
      EXPECT_EQ(a.count, b.count);
      EXPECT_EQ(a.correct1, b.correct1);
    }
  }
}

// Layers that normalise by statistics which stay know nothing of chunks.
TEST(DataParallel, FrozenBatchNormMakesReplicasOne) {
  const Names frozen{"*bn?.*", "layer?.0.downsample.1"};
  Trainee alone(tiny_resnet(), 1, frozen);
  Trainee parallel(tiny_resnet(), 3, frozen);
  alone.train(8);
  parallel.train(8);
  expect_same_gradients(alone, parallel);
  for (const Trainee* one : {&alone, &parallel}) {
    for (const auto& item : one->model->named_buffers()) {
      const at::Tensor first = item.key().ends_with("running_var")
          ? at::ones_like(item.value())
          : at::zeros_like(item.value());
      EXPECT_TRUE(at::equal(item.value(), first)) << item.key();
    }
  }
}

// In backward too, whose gradients have the types of the outputs.
TEST(DataParallel, ReplicasMultiplyInTheTypeOfTheFirst) {
  const Trainee parallel(tiny_vit(), 2);
  at::Tensor outputs;
  {
    const AutocastScope autocast(at::kCPU, at::kHalf);
    outputs = parallel.parallel->forward(at::ones({2, 3, 16, 16}), {});
  }
  EXPECT_EQ(outputs.scalar_type(), at::kHalf); // a mix would be fp32
  parallel.sync->begin_step({.step = 0, .samples = {2}});
  parallel.sync->begin_micro_batch(/*last=*/true, /*empty=*/false);
  outputs.to(at::kFloat).sum().backward();
  parallel.sync->finish();
  EXPECT_TRUE(parallel.parameters.groups()[0].gradients.any().item<bool>());
}

// Weights that are not trained are loaded, or start from images, in the first
// replica alone, and used to stay there.
TEST(DataParallel, FrozenWeightsAreThoseOfTheFirstReplica) {
  const Names frozen{"patch_embed.proj.weight", "blocks.0.mlp.fc1.weight"};
  Trainee alone(tiny_vit(), 1, frozen);
  Trainee parallel(tiny_vit(), 3, frozen);
  alone.train(2); // two of three replicas
  parallel.train(2);
  alone.train(8);
  parallel.train(8);
  parallel.step->flush(1e-3);
  expect_same_gradients(alone, parallel);
}

// A network that remembers how many rows it got.
class Recorder final : public networks::Model {
 public:
  explicit Recorder(std::vector<std::int64_t>* rows) : rows_(rows) {
    weight_ = register_parameter("weight", at::ones({1}));
  }
  at::Tensor forward(
      const at::Tensor& images,
      const at::Tensor& /*drop*/,
      const at::Generator& /*dropout*/ = {}) override {
    rows_->push_back(images.size(0));
    return images.flatten(1) * weight_;
  }
  std::vector<double> drop_rates() const override { return {}; }

 private:
  std::vector<std::int64_t>* rows_;
  at::Tensor weight_;
};

// Parts have the sizes of torch.nn.parallel.scatter, which calls Tensor.chunk:
// 30 rows on 8 devices are seven parts of 4 and one of 2; 10 rows are five
// parts of 2 (PyTorch's DataParallel guide).
TEST(DataParallel, CutsUnevenBatchesAsTorchDoes) {
  using Sizes = std::vector<std::int64_t>;
  struct Case {
    std::int64_t rows;
    std::size_t replicas;
    Sizes sizes;
  };
  for (const Case& one : std::vector<Case>{
           {30, 8, {4, 4, 4, 4, 4, 4, 4, 2}},
           {10, 8, {2, 2, 2, 2, 2}},
           {30, 4, {8, 8, 8, 6}},
           {100, 3, {34, 34, 32}},
           {7, 2, {4, 3}},
           {2, 3, {1, 1}}}) {
    std::vector<Sizes> seen(one.replicas);
    const config::OptimConfig options;
    Recorder first(&seen[0]);
    optim::FlatState state(first, options.weight_decay, options.no_decay);
    std::vector<std::unique_ptr<DataParallel::Replica>> others;
    for (std::size_t i = 1; i < one.replicas; ++i) {
      others.push_back(std::make_unique<DataParallel::Replica>(
          std::make_shared<Recorder>(&seen[i]),
          c10::kCPU,
          optim::grouping_of(options)));
    }
    DataParallel parallel(first, state, std::move(others));
    const at::Tensor images =
        at::arange(one.rows * 2).to(at::kFloat).view({one.rows, 2});
    EXPECT_TRUE(at::equal(parallel.forward(images, /*drop=*/{}), images));
    Sizes sizes;
    for (const Sizes& of : seen) {
      sizes.insert(sizes.end(), of.begin(), of.end());
    }
    EXPECT_EQ(sizes, one.sizes) << one.rows << " on " << one.replicas;
  }
}

TEST(DataParallel, DropPathFactorsGoWithTheirSamples) {
  const at::Tensor factors =
      at::arange(4 * 5).remainder(3).eq(0).to(at::kFloat).view({4, 5}) * 2;
  Trainee alone(tiny_vit(), 1);
  Trainee parallel(tiny_vit(), 2);
  alone.train(5, factors);
  parallel.train(5, factors);
  expect_same_gradients(alone, parallel);
}

// Each replica normalises by its own chunk, and the first one's statistics
// stay.
TEST(DataParallel, KeepsTheRunningStatisticsOfTheFirstReplica) {
  Trainee parallel(tiny_resnet(), 2);
  Trainee first_chunk(tiny_resnet(), 1);
  parallel.train(8);
  first_chunk.train(4);
  const auto of = [](const Trainee& trainee) {
    return trainee.model->named_buffers()["bn1.running_mean"];
  };
  EXPECT_TRUE(at::equal(of(parallel), of(first_chunk)));
}

TEST(DataParallel, AFailureOfAReplicaIsRaised) {
  Trainee parallel(tiny_vit(), 2);
  EXPECT_ANY_THROW(
      parallel.parallel->forward(at::zeros({4, 5, 16, 16}), /*drop=*/{}));
}

} // namespace
} // namespace vitrain::engine
