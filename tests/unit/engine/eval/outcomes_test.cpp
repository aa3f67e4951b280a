#include "engine/eval/outcomes.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <mutex>

#include <gtest/gtest.h>

#include <ATen/ATen.h>

#include "config/sections/recipe.h"
#include "data/kinds/datasets.h"
#include "engine/step/reports.h"
#include "models/families/vit.h"
#include "support/ranks.h"
#include "unit/engine/fixtures.h"

namespace vitrain::engine {
namespace {

TEST(Outcomes, AreThoseOfEachRow) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const at::Tensor logits = at::tensor({1.0F,
                                        3.0F,
                                        3.0F, // of equal ones the first
                                        0.0F,
                                        nan,
                                        9.0F, //
                                        5.0F,
                                        0.0F,
                                        0.0F, //
                                        7.0F,
                                        7.0F,
                                        7.0F}) // padding
                                .view({4, 3});
  const at::Tensor labels = at::tensor({2, 0, 0}, at::kLong);
  const std::vector<std::int64_t> samples{10, 20, 5};
  OutcomeTally tally;
  EXPECT_TRUE(tally.outcomes().empty());
  tally.add(logits, labels.narrow(0, 0, 2), std::span(samples).subspan(0, 2));
  tally.add(logits.narrow(0, 2, 2), labels.narrow(0, 2, 1), {&samples[2], 1});
  const auto outcomes = tally.outcomes();
  ASSERT_EQ(outcomes.size(), 3U);
  EXPECT_EQ(outcomes[0].sample, 10);
  EXPECT_EQ(outcomes[0].label, 2);
  EXPECT_EQ(outcomes[0].prediction, 1);
  EXPECT_FALSE(outcomes[0].right());
  const double share = 1 / (2 + std::exp(-2.0));
  EXPECT_NEAR(outcomes[0].probability, share, 1e-6);
  EXPECT_NEAR(outcomes[0].loss, -std::log(share), 1e-6);
  EXPECT_FALSE(outcomes[1].finite());
  EXPECT_TRUE(outcomes[2].right());
}

models::ModelSpec vit_for_outcomes() {
  return test_vit(
      10,
      32,
      {.patch_size = 8,
       .embed_dim = 48,
       .depth = 1,
       .num_heads = 3,
       .mlp_dim = 96});
}

struct Evaluated {
  EvalCounts counts;
  std::vector<results::Outcome> outcomes;
};

Evaluated evaluate_on(int workers, int lanes) {
  const auto index = std::make_shared<const data::Index>(
      data::list({.kind = data::SourceKind::kShapes, .count = 53, .size = 32}));
  const models::ModelSpec spec = vit_for_outcomes();
  std::mutex mutex;
  Evaluated result;
  testing::run_ranks(workers, [&](testing::Rank& rank) {
    const auto model = networks::make_model(spec, 3);
    const Evaluator evaluator(
        index, config::Recipe(), spec, c10::kCPU, {.batch = 7, .lanes = lanes});
    Evaluated own;
    SampleResults found;
    own.counts = evaluator.run(
        *model, rank.control(), [](std::int64_t, std::int64_t) {}, &found);
    own.outcomes = std::move(found.outcomes);
    EXPECT_EQ(evaluator.path(17), "shapes image 17 of seed 0");
    EXPECT_EQ(evaluator.picture(17)->width, 32);
    const std::lock_guard lock(mutex);
    result = own;
  });
  return result;
}

TEST(Outcomes, AreTheSameOnAnyNumberOfWorkersInTheDatasetsOrder) {
  const Evaluated alone = evaluate_on(1, 1);
  ASSERT_EQ(alone.outcomes.size(), 53U);
  std::int64_t right = 0;
  double loss = 0;
  for (std::size_t i = 0; i < alone.outcomes.size(); ++i) {
    EXPECT_EQ(alone.outcomes[i].sample, static_cast<std::int64_t>(i));
    EXPECT_EQ(alone.outcomes[i].label, static_cast<std::int32_t>(i % 10));
    right += alone.outcomes[i].right() ? 1 : 0;
    loss += static_cast<double>(alone.outcomes[i].loss);
  }
  EXPECT_EQ(right, alone.counts.correct1);
  // Counted in steps of 2^-32.
  EXPECT_NEAR(loss / 53, alone.counts.value(Metric::kLoss), 1e-9);
  for (const auto& [workers, lanes] : {std::pair{3, 1}, std::pair{2, 2}}) {
    const Evaluated others = evaluate_on(workers, lanes);
    ASSERT_EQ(others.outcomes.size(), 53U);
    for (std::size_t i = 0; i < 53; ++i) {
      EXPECT_EQ(others.outcomes[i].prediction, alone.outcomes[i].prediction);
      EXPECT_EQ(others.outcomes[i].probability, alone.outcomes[i].probability);
      EXPECT_EQ(others.outcomes[i].loss, alone.outcomes[i].loss);
    }
  }
}

} // namespace
} // namespace vitrain::engine
