#include "engine/step/loss.h"

#include <algorithm>
#include <fstream>
#include <string>
#include <vector>

#include <ATen/ATen.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "core/enum_names.h"

#include "engine/step/metrics.h"

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

const nlohmann::json& golden_losses() {
  static const nlohmann::json file = [] {
    std::ifstream stream(VITRAIN_SOURCE_DIR "/tests/golden/engine/losses.json");
    return nlohmann::json::parse(stream);
  }();
  return file;
}

at::Tensor golden_matrix(const char* name) {
  std::vector<at::Tensor> rows;
  for (const std::vector<double> row : golden_losses().at(name)) {
    rows.push_back(at::tensor(row, at::kDouble));
  }
  return at::stack(rows).to(at::kFloat);
}

at::Tensor golden_numbers(const nlohmann::json& json) {
  const std::vector<double> numbers = json;
  return at::tensor(numbers, at::kDouble);
}

LossOptions golden_options(const nlohmann::json& json) {
  LossOptions options{
      .kind = *value_of<LossKind>(std::string(json.at("kind"))),
      .label_smoothing = json.value("label_smoothing", 0.0),
      .sum_classes = json.value("sum_classes", false),
      .focal_alpha = json.value("focal_alpha", 0.25),
      .focal_gamma = json.value("focal_gamma", 2.0),
      .gamma_absent = json.value("gamma_absent", 4.0),
      .gamma_present = json.value("gamma_present", 1.0),
      .clip = json.value("clip", 0.05),
      .poly1_epsilon = json.value("poly1_epsilon", 0.0),
      .huber_delta = json.value("huber_delta", 0.0)};
  if (json.contains("threshold")) {
    options.threshold = json.at("threshold").get<double>();
  }
  if (json.contains("pos_weight")) {
    options.pos_weight = json.at("pos_weight").get<double>();
  }
  if (json.value("class_weights", false)) {
    options.class_weights =
        golden_numbers(golden_losses().at("weights")).to(at::kFloat);
  }
  return options;
}

// Returns the trainer's loss of a micro-batch: loss_sum and the teacher's part.
at::Tensor golden_loss(const nlohmann::json& json, const at::Tensor& outputs) {
  const std::vector<std::int64_t> labels = golden_losses().at("labels");
  const DistillOutputs answers =
      split_heads({.heads_apart = json.value("heads_apart", false)}, outputs);
  const LossOptions options = golden_options(json);
  const at::Tensor own = loss_sum(
      options,
      answers.labels,
      config::is_regression(options.kind) ? golden_matrix("second_outputs")
                                          : at::tensor(labels, at::kLong),
      json.value("shares", false) ? golden_matrix("shares") : at::Tensor());
  if (!json.contains("distill")) {
    return own;
  }
  const DistillOptions distill{
      .kind = *value_of<config::DistillKind>(std::string(json.at("distill"))),
      .alpha = json.at("alpha"),
      .temperature = json.at("temperature")};
  return own * (1.0 - distill.alpha) +
      distillation_sum(distill, answers.taught, golden_matrix("teacher")) *
      distill.alpha;
}

// Six samples of five classes, losses of the order of 1 to 10: a dozen fp32
// roundings of numbers that are at most a few times as large.
TEST(Loss, EqualsTheOriginalsWithItsGradient) {
  ASSERT_EQ(golden_losses().at("cases").size(), 26u);
  for (const auto& expected : golden_losses().at("cases")) {
    SCOPED_TRACE(expected.at("name").get<std::string>());
    at::Tensor outputs = golden_matrix("outputs");
    if (expected.at("options").contains("heads_apart")) {
      outputs = at::cat({outputs, golden_matrix("second_outputs")}, 1);
    }
    outputs.requires_grad_();
    const at::Tensor loss = golden_loss(expected.at("options"), outputs) /
        static_cast<double>(outputs.size(0));
    const double value = expected.at("loss");
    EXPECT_NEAR(loss.item<double>(), value, 2e-6 * std::max(1.0, value));
    loss.backward();
    EXPECT_TRUE(at::allclose(
        outputs.grad().flatten().to(at::kDouble),
        golden_numbers(expected.at("gradient")),
        /*rtol=*/1e-5,
        /*atol=*/1e-6));
  }
}

// Accuracy uses the mean of both heads, as in evaluation.
TEST(Loss, TwoHeadsAnswerWithTheirMean) {
  const at::Tensor outputs = at::arange(8, at::kFloat).view({2, 4});
  const DistillOutputs apart = split_heads({.heads_apart = true}, outputs);
  EXPECT_TRUE(
      apart.labels.equal(at::tensor({0.F, 1.F, 4.F, 5.F}).view({2, 2})));
  EXPECT_TRUE(
      apart.taught.equal(at::tensor({2.F, 3.F, 6.F, 7.F}).view({2, 2})));
  EXPECT_TRUE(apart.mean.equal(at::tensor({1.F, 2.F, 5.F, 6.F}).view({2, 2})));
  EXPECT_TRUE(split_heads({}, outputs).mean.equal(outputs));
}

} // namespace
} // namespace vitrain::engine
