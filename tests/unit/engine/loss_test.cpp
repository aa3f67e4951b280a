#include "engine/train/loss.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include "engine/eval/metrics.h"

namespace vitrain::engine {
namespace {

using config::LossKind;

at::Tensor values(std::int64_t rows, std::int64_t columns, double step) {
  return at::arange(rows * columns, at::kFloat)
      .mul(step)
      .sin()
      .view({rows, columns});
}

// Sums over samples divided by their number are torch's mean losses, to a few
// roundings of fp32.
TEST(Loss, SumsAreTorchsMeansTimesTheSamples) {
  const at::Tensor outputs = values(7, 3, 0.7);
  const at::Tensor targets = values(7, 3, 1.3);
  EXPECT_NEAR(
      loss_sum({.kind = LossKind::kMse}, outputs, targets).item<double>() / 7,
      at::mse_loss(outputs, targets).item<double>(),
      1e-6);
  const at::Tensor labels = at::arange(7).remainder(3);
  EXPECT_NEAR(
      loss_sum({.label_smoothing = 0.1}, outputs, labels).item<double>() / 7,
      at::cross_entropy_loss(
          outputs, labels, {}, at::Reduction::Mean, -100, 0.1)
          .item<double>(),
      1e-6);
}

TEST(Loss, OfEachSampleAddUp) {
  const at::Tensor outputs = values(7, 3, 0.7);
  const at::Tensor targets = values(7, 3, 1.3);
  const at::Tensor each =
      sample_losses({.kind = LossKind::kMse}, outputs, targets);
  EXPECT_EQ(each.sizes(), at::IntArrayRef{7});
  EXPECT_TRUE(at::allclose(
      each.sum(), loss_sum({.kind = LossKind::kMse}, outputs, targets)));
  EXPECT_NEAR(
      each[2].item<double>(),
      at::mse_loss(outputs[2], targets[2]).item<double>(),
      1e-7);
}

TEST(Loss, SamplesWithoutClassesAreCountedByTheirLossesAlone) {
  EvalCounts counts;
  counts.add_losses(at::tensor({0.5F, 1.25F}));
  counts.add_losses(at::tensor({0.25F}));
  EXPECT_EQ(counts.count, 3);
  EXPECT_EQ(counts.correct1, 0);
  EXPECT_DOUBLE_EQ(counts.value(Metric::kLoss), 2.0 / 3);
}

} // namespace
} // namespace vitrain::engine
