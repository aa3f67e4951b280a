#include "engine/step/metrics.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include <ATen/ATen.h>

namespace vitrain::engine {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInf = std::numeric_limits<double>::infinity();

TEST(LabelRanks, CountsLargerAndEarlierEqualLogits) {
  const at::Tensor logits = at::tensor({1.0,
                                        3.0,
                                        3.0,
                                        2.0, // ranks 3, 0, 1, 2
                                        5.0,
                                        5.0,
                                        5.0,
                                        5.0}) // ranks 0, 1, 2, 3
                                .view({2, 4})
                                .to(at::kFloat);
  const std::int64_t expected[2][4] = {{3, 0, 1, 2}, {0, 1, 2, 3}};
  for (std::int64_t label = 0; label < 4; ++label) {
    const at::Tensor ranks =
        label_ranks(logits, at::full({2}, label, at::kLong));
    EXPECT_EQ(ranks[0].item<std::int64_t>(), expected[0][label]);
    EXPECT_EQ(ranks[1].item<std::int64_t>(), expected[1][label]);
  }
}

TEST(LabelRanks, ANanIsNeverRight) {
  const at::Tensor logits =
      at::tensor({kNan, kNan, kNan}).view({1, 3}).to(at::kFloat);
  EXPECT_EQ(
      label_ranks(logits, at::zeros({1}, at::kLong)).item<std::int64_t>(), 3);
}

TEST(EvalCounts, SumDoesNotDependOnHowSamplesAreSplit) {
  at::manual_seed(5);
  constexpr std::int64_t kSamples = 97;
  const at::Tensor logits = at::randn({kSamples, 7}) * 3;
  const at::Tensor labels = at::randint(7, {kSamples}, at::kLong);
  EvalTally all;
  all.add(logits, labels, kSamples);
  const EvalCounts whole = all.counts();
  for (const std::int64_t batch : {1, 2, 3, 32}) {
    EvalTally tally;
    for (std::int64_t at = 0; at < kSamples; at += batch) {
      const std::int64_t rows = std::min(batch, kSamples - at);
      // Extra rows beyond `rows` must not count.
      const at::Tensor padded = at::constant_pad_nd(
          logits.narrow(0, at, rows), {0, 0, 0, batch - rows});
      tally.add(padded, labels.narrow(0, at, rows), rows);
    }
    const EvalCounts parts = tally.counts();
    EXPECT_EQ(parts.count, kSamples);
    EXPECT_EQ(parts.correct1, whole.correct1);
    EXPECT_EQ(parts.correct5, whole.correct5);
    EXPECT_EQ(parts.value(Metric::kLoss), whole.value(Metric::kLoss))
        << "batch " << batch;
  }
  const double reference =
      at::cross_entropy_loss(logits.to(at::kDouble), labels).item<double>();
  // Per-sample losses are fp32: 2^-24 relative each.
  EXPECT_NEAR(whole.value(Metric::kLoss), reference, 1e-6);
}

TEST(EvalCounts, FewerThanFiveClasses) {
  EvalTally tally;
  tally.add(
      at::tensor({1.0, 2.0, 3.0, 3.0, 2.0, 1.0}).view({2, 3}).to(at::kFloat),
      at::zeros({2}, at::kLong),
      2);
  const EvalCounts counts = tally.counts();
  EXPECT_EQ(counts.correct1, 1);
  EXPECT_EQ(counts.correct5, 2);
  EXPECT_DOUBLE_EQ(counts.value(Metric::kTop1), 50.0);
  EXPECT_DOUBLE_EQ(counts.value(Metric::kTop5), 100.0);
}

TEST(EvalCounts, NonFiniteLossesAreCountedApart) {
  EvalTally tally;
  tally.add(
      at::tensor({kInf, 0.0, 0.0, 1.0}).view({2, 2}).to(at::kFloat),
      at::ones({2}, at::kLong),
      2);
  const EvalCounts counts = tally.counts();
  EXPECT_EQ(counts.count, 2);
  EXPECT_EQ(counts.non_finite, 1);
  EXPECT_TRUE(std::isnan(counts.value(Metric::kLoss)));
}

TEST(EvalCounts, LargeLossesDoNotOverflowTheSum) {
  EvalTally tally;
  // 2^30 each: five of them exceed an int64 sum in units of 2^-32.
  const at::Tensor logits =
      at::tensor({0.0, 1073741824.0}).view({1, 2}).to(at::kFloat);
  for (int i = 0; i < 5; ++i) {
    tally.add(logits, at::zeros({1}, at::kLong), 1);
  }
  EXPECT_EQ(tally.counts().value(Metric::kLoss), 1073741824.0);
}

TEST(EvalCounts, NoSamples) {
  const EvalCounts counts = EvalTally().counts();
  EXPECT_EQ(counts.value(Metric::kTop1), 0.0);
  EXPECT_TRUE(std::isnan(counts.value(Metric::kLoss)));
}

} // namespace
} // namespace vitrain::engine
