#include "engine/eval/evaluator.h"

#include <atomic>
#include <mutex>

#include <gtest/gtest.h>

#include <ATen/ATen.h>
#include <ATen/CPUGeneratorImpl.h>
#include <ATen/Parallel.h>

#include "config/sections/recipe.h"
#include "config/sections/train.h"
#include "core/check.h"
#include "data/kinds/datasets.h"
#include "models/families/mae.h"
#include "models/families/resnet.h"
#include "models/families/vit.h"
#include "support/ranks.h"
#include "unit/engine/fixtures.h"

namespace vitrain::engine {
namespace {

constexpr std::int64_t kEvaluated = 53;
constexpr std::int64_t kBatch = 7; // 8 batches, the last one of 4 samples

std::shared_ptr<const data::Index> shapes() {
  return std::make_shared<const data::Index>(data::list(
      {.kind = data::SourceKind::kShapes, .count = kEvaluated, .size = 32}));
}

config::Recipe recipe_for(const models::ModelSpec& spec) {
  config::Recipe recipe;
  if (spec.family->learns_pixels) {
    recipe.train.loss = config::LossKind::kPixels;
  }
  recipe.data.preprocess.crop_pct = 1.0;
  return recipe;
}

// Wide enough that torch cuts its operators for several threads.
models::ModelSpec small_vit() {
  return test_vit(
      10,
      32,
      {.patch_size = 4,
       .embed_dim = 96,
       .depth = 2,
       .num_heads = 3,
       .mlp_dim = 384});
}

models::ModelSpec small_resnet() {
  models::ModelSpec spec;
  spec.name = "resnet_test";
  spec.family = &models::kResNet;
  spec.num_classes = 10;
  spec.image_size = 32;
  spec.numbers =
      models::ResNetSpec{.blocks = {1, 1, 1, 1}, .bottleneck = false};
  return spec;
}

// Returns a network whose weights are all non-zero; some of a new network's are
// zero.
std::shared_ptr<networks::Model> trained(const models::ModelSpec& spec) {
  const at::NoGradGuard no_grad;
  auto model = networks::make_model(spec, 3);
  auto generator = at::detail::createCPUGenerator(5);
  for (at::Tensor& parameter : model->parameters()) {
    parameter.add_(at::empty_like(parameter).normal_(0.0, 0.02, generator));
  }
  return model;
}

// Returns the counts of `workers` workers, each a thread with `threads`
// intra-op threads.
EvalCounts evaluate(
    const models::ModelSpec& spec,
    int workers,
    int threads,
    const std::shared_ptr<const data::Index>& index = shapes(),
    bool multi_label = false) {
  config::Recipe recipe = recipe_for(spec);
  recipe.data.eval.multi_label = multi_label;
  std::mutex mutex;
  EvalCounts counts;
  testing::run_ranks(workers, [&](testing::Rank& rank) {
    at::get_num_threads(); // else its first call takes another thread's number
    at::set_num_threads(threads);
    const auto model = trained(spec);
    const Evaluator evaluator(
        index, recipe, spec, c10::kCPU, {.batch = kBatch, .lanes = threads});
    std::int64_t done = 0;
    const EvalCounts all = evaluator.run(
        *model, rank.control(), [&](std::int64_t now, std::int64_t) {
          EXPECT_EQ(now, ++done);
        });
    EXPECT_EQ(at::get_num_threads(), threads);
    const std::lock_guard lock(mutex);
    counts = all;
  });
  at::set_num_threads(1); // what new threads begin with
  return counts;
}

// Which patches it sees of a sample belongs to the sample.
models::ModelSpec small_mae() {
  models::ModelSpec spec = small_vit();
  spec.name = "mae_test";
  spec.family = &models::kMae;
  models::MaeSpec mae;
  mae.encoder = std::any_cast<models::VitSpec>(spec.numbers);
  mae.decoder = {.embed_dim = 64, .depth = 1, .num_heads = 2, .mlp_dim = 128};
  spec.numbers = mae;
  return spec;
}

using MakeSpec = models::ModelSpec (*)();
class EvaluatorBits : public ::testing::TestWithParam<MakeSpec> {};

// One worker with two threads added in another order than two with one.
TEST_P(EvaluatorBits, DependNeitherOnWorkersNorOnThreads) {
  const models::ModelSpec spec = GetParam()();
  const EvalCounts expected = evaluate(spec, 1, 1);
  EXPECT_EQ(expected.count, kEvaluated);
  EXPECT_EQ(expected.non_finite, 0);
  for (const int workers : {1, 2, 3, 5}) {
    for (const int threads : {1, 2, 4}) {
      const EvalCounts counts = evaluate(spec, workers, threads);
      SCOPED_TRACE(
          std::to_string(workers) + " workers of " + std::to_string(threads) +
          " threads");
      EXPECT_EQ(counts.count, expected.count);
      EXPECT_EQ(counts.correct1, expected.correct1);
      EXPECT_EQ(counts.correct5, expected.correct5);
      EXPECT_EQ(counts.value(Metric::kLoss), expected.value(Metric::kLoss));
    }
  }
}

INSTANTIATE_TEST_SUITE_P(
    ,
    EvaluatorBits,
    ::testing::Values(&small_vit, &small_resnet, &small_mae),
    [](const auto& param) { return std::string(param.param().family->name); });

// The shapes with a list of labels each, of which some classes may be
// predicted.
std::shared_ptr<const data::Index> shapes_with(
    std::vector<std::int32_t> subset) {
  const auto plain = shapes();
  data::Index::Contents contents;
  contents.options = plain->options();
  contents.classes = plain->classes();
  contents.samples = plain->size();
  for (std::int64_t i = 0; i < plain->size(); ++i) {
    contents.labels.push_back(static_cast<std::int32_t>(2 + i % 3));
    contents.set_starts.push_back(contents.set_labels.size());
    for (std::int64_t k = 0; k < i % 4; ++k) {
      contents.set_labels.push_back(
          static_cast<std::int32_t>((i + 3 * k) % 10));
    }
  }
  contents.set_starts.push_back(contents.set_labels.size());
  contents.subset = std::move(subset);
  return std::make_shared<const data::Index>(std::move(contents));
}

TEST(Evaluator, SubsetAndRealLabelsDependNeitherOnWorkersNorOnThreads) {
  const auto index = shapes_with({2, 3, 4});
  const models::ModelSpec spec = small_vit();
  const EvalCounts expected = evaluate(spec, 1, 1, index);
  EXPECT_EQ(expected.count, kEvaluated);
  EXPECT_EQ(expected.correct5, kEvaluated); // among three classes
  EXPECT_EQ(expected.non_finite, 0);
  EXPECT_LT(
      expected.value(Metric::kLoss), evaluate(spec, 1, 1).value(Metric::kLoss));
  EXPECT_EQ(expected.real_count, kEvaluated - (kEvaluated + 3) / 4);
  EXPECT_GT(expected.real_correct, 0);
  for (const int workers : {2, 3}) {
    const EvalCounts counts = evaluate(spec, workers, 2, index);
    EXPECT_EQ(counts.correct1, expected.correct1);
    EXPECT_EQ(counts.real_count, expected.real_count);
    EXPECT_EQ(counts.real_correct, expected.real_correct);
    EXPECT_EQ(counts.value(Metric::kLoss), expected.value(Metric::kLoss));
  }
}

TEST(Evaluator, AveragePrecisionDependsNeitherOnWorkersNorOnThreads) {
  const auto index = shapes_with({});
  const EvalCounts expected =
      evaluate(small_vit(), 1, 1, index, /*multi_label=*/true);
  EXPECT_EQ(expected.count, kEvaluated);
  EXPECT_GT(expected.map, 0.0);
  EXPECT_LT(expected.map, 1.0);
  for (const int workers : {2, 3}) {
    const EvalCounts counts =
        evaluate(small_vit(), workers, 2, index, /*multi_label=*/true);
    EXPECT_EQ(counts.map, expected.map);
    EXPECT_EQ(counts.value(Metric::kLoss), expected.value(Metric::kLoss));
  }
}

// A failure in one lane ends all lanes.
class Refusing final : public networks::Model {
 public:
  at::Tensor forward(
      const at::Tensor& /*inputs*/,
      const at::Tensor& /*drop*/,
      const at::Generator& /*dropout*/) override {
    ++calls;
    fail(ExitCode::kOutOfMemory, "no memory left");
  }

  std::atomic<int> calls = 0;
};

TEST(Evaluator, AFailureOfOneLaneEndsTheEvaluation) {
  testing::run_ranks(1, [&](testing::Rank& rank) {
    Refusing model;
    const Evaluator evaluator(
        shapes(),
        recipe_for(small_vit()),
        small_vit(),
        c10::kCPU,
        {.batch = 1, .lanes = 3});
    try {
      evaluator.run(model, rank.control(), [](std::int64_t, std::int64_t) {});
      FAIL() << "evaluated";
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ExitCode::kOutOfMemory);
    }
    EXPECT_LE(model.calls, 3);
  });
}

} // namespace
} // namespace vitrain::engine
