// Tests of losses whose samples are weighted by their classes.

#include <algorithm>
#include <fstream>
#include <string>
#include <vector>

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include "core/enum_names.h"
#include "core/json.h"
#include "engine/step/loss.h"
#include "engine/step/train_options.h"

namespace vitrain::engine {
namespace {

using config::LossKind;

const Json& golden_weights() {
  static const Json file = Json::parse(std::ifstream(
      VITRAIN_SOURCE_DIR "/tests/golden/engine/class_weights.json"));
  return file;
}

at::Tensor numbers(const Json& json) {
  return at::tensor(json.get<std::vector<double>>()).to(at::kFloat);
}

// [rows, classes], with any number of rows.
at::Tensor matrix(const Json& json) {
  return numbers(json).view(
      {-1, golden_weights().at("shape")[1].get<std::int64_t>()});
}

at::Tensor labels() {
  return at::tensor(
      golden_weights().at("labels").get<std::vector<std::int64_t>>());
}

// Returns the loss of a micro-batch as TrainStep computes it, divided by the
// number of samples.
at::Tensor loss_of(
    const Json& options,
    const at::Tensor& outputs,
    const at::Tensor& weights) {
  const LossOptions loss{
      .kind = *value_of<LossKind>(std::string(options.at("kind"))),
      .label_smoothing = options.value("label_smoothing", 0.0),
      .splits = options.value("splits", std::int64_t{1}),
      .divergence = options.value("divergence", 0.0)};
  const at::Tensor shares = options.value("shares", false)
      ? matrix(golden_weights().at("shares"))
      : at::Tensor();
  const at::Tensor own = loss_sum(loss, outputs, labels(), shares, weights);
  const auto samples = static_cast<double>(labels().size(0));
  if (!options.contains("distill")) {
    return own / samples;
  }
  const DistillOptions distill{
      .kind =
          *value_of<config::DistillKind>(std::string(options.at("distill"))),
      .alpha = options.at("alpha"),
      .temperature = options.at("temperature")};
  const at::Tensor taught = distillation_sum(
      distill, outputs, matrix(golden_weights().at("teacher")), weights);
  return (own * (1.0 - distill.alpha) + taught * distill.alpha) / samples;
}

// Six samples of five classes, losses of the order of 1 to 100: a dozen fp32
// roundings of numbers that are at most a few times as large.
TEST(ClassWeights, MultiplyTheOriginalLossOfEachSample) {
  ASSERT_EQ(golden_weights().at("cases").size(), 9u);
  for (const Json& one : golden_weights().at("cases")) {
    SCOPED_TRACE(one.at("name").get<std::string>());
    const at::Tensor outputs = matrix(one.at("outputs")).requires_grad_();
    const at::Tensor loss =
        loss_of(one.at("options"), outputs, numbers(one.at("weights")));
    const double value = one.at("loss");
    EXPECT_NEAR(loss.item<double>(), value, 2e-6 * std::max(1.0, value));
    loss.backward();
    EXPECT_TRUE(at::allclose(
        outputs.grad().flatten(),
        numbers(one.at("gradient")),
        /*rtol=*/1e-5,
        /*atol=*/1e-6));
  }
}

// A class without samples has no weight in any loss: a large weight of it
// changes no bit. By terms, as torch's `weight`, it does.
TEST(ClassWeights, OfClassesWithoutSamplesDoNothing) {
  const at::Tensor outputs = at::arange(12, at::kFloat).sin().view({3, 4});
  const at::Tensor given = at::tensor({1, 3, 1}, at::kLong);
  const at::Tensor none = at::tensor({0.0F, 0.75F, 0.0F, 1.5F});
  const at::Tensor heavy = at::tensor({900.0F, 0.75F, 900.0F, 1.5F});
  for (const LossKind kind :
       {LossKind::kCrossEntropy,
        LossKind::kBinaryCrossEntropy,
        LossKind::kFocal}) {
    const auto loss = [&](const at::Tensor& of_classes) {
      return loss_sum(
          {.kind = kind, .label_smoothing = 0.1},
          outputs,
          given,
          {},
          of_classes.index_select(0, given));
    };
    EXPECT_TRUE(at::equal(loss(none), loss(heavy))) << name_of(kind);
    const auto by_terms = [&](const at::Tensor& of_classes) {
      return loss_sum(
          {.kind = kind, .label_smoothing = 0.1, .class_weights = of_classes},
          outputs,
          given);
    };
    EXPECT_GT(
        by_terms(heavy).item<double>(), 2 * by_terms(none).item<double>());
  }
}

TEST(ClassWeights, BalancedOnesAreThoseOfScikitLearn) {
  const Json& balanced = golden_weights().at("balanced");
  const auto counts = balanced.at("counts").get<std::vector<double>>();
  const auto expected = balanced.at("weights").get<std::vector<double>>();
  const std::vector<double> found = balanced_class_weights(counts);
  ASSERT_EQ(found.size(), expected.size());
  double sum = 0.0;
  for (std::size_t i = 0; i < found.size(); ++i) {
    EXPECT_DOUBLE_EQ(found[i], expected[i]) << i;
    EXPECT_EQ(found[i] > 0.0, counts[i] > 0.0) << i;
    sum += found[i] * counts[i];
  }
  // The mean over the samples is 1: the learning rate keeps its meaning.
  EXPECT_NEAR(sum, 921.0, 1e-9);
}

} // namespace
} // namespace vitrain::engine
