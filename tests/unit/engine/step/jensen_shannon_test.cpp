#include "engine/step/jensen_shannon.h"

#include <gtest/gtest.h>

#include <fstream>
#include <vector>

#include <ATen/ATen.h>

#include "core/json.h"
#include "engine/step/loss.h"

namespace vitrain::engine {
namespace {

at::Tensor tensor_of(const Json& values) {
  return at::tensor(values.get<std::vector<double>>()).to(at::kFloat);
}

// make_jensen_shannon.py has timm's JsdCrossEntropy. Both add in fp32, in
// another order: some roundings of losses of up to 60.
TEST(JensenShannon, LossAndGradientAreTimms) {
  const Json cases = Json::parse(std::ifstream(
      VITRAIN_SOURCE_DIR "/tests/golden/engine/jensen_shannon.json"));
  ASSERT_EQ(cases.size(), 4u);
  for (const Json& one : cases) {
    const at::Tensor outputs =
        tensor_of(one.at("outputs"))
            .view(one.at("shape").get<std::vector<std::int64_t>>())
            .requires_grad_();
    const at::Tensor labels =
        at::tensor(one.at("labels").get<std::vector<std::int64_t>>());
    const LossOptions options{
        .kind = config::LossKind::kJensenShannon,
        .label_smoothing = one.at("smoothing"),
        .splits = one.at("splits"),
        .divergence = one.at("alpha")};
    const at::Tensor each = sample_losses(options, outputs, labels);
    ASSERT_EQ(each.sizes(), labels.sizes());
    const at::Tensor loss = each.mean();
    loss.backward();
    EXPECT_NEAR(
        loss.item<double>(),
        one.at("loss").get<double>(),
        1e-6 * one.at("loss").get<double>());
    EXPECT_TRUE(at::allclose(
        outputs.grad().flatten(),
        tensor_of(one.at("gradient")),
        /*rtol=*/1e-5,
        /*atol=*/1e-6))
        << one.at("shape").dump();
  }
}

// Identical versions have the loss of the first one.
TEST(JensenShannon, EqualVersionsDoNotDiverge) {
  const at::Tensor outputs =
      at::tensor({0.5F, -1.0F, 2.0F, 0.25F}).view({2, 2});
  const at::Tensor labels = at::tensor({0, 1}, at::kLong);
  const at::Tensor found =
      jensen_shannon({.splits = 3}, outputs.repeat({3, 1}), labels);
  const at::Tensor plain = sample_losses({}, outputs, labels);
  EXPECT_TRUE(at::allclose(found, plain, 1e-5, 1e-6));
}

// A worker whose share of a micro-batch is empty takes part without samples.
TEST(JensenShannon, OfNoSamplesIsZero) {
  const at::Tensor outputs = at::zeros({0, 5}).requires_grad_();
  const at::Tensor loss = loss_sum(
      {.kind = config::LossKind::kJensenShannon, .splits = 3, .divergence = 12},
      outputs,
      at::zeros({0}, at::kLong));
  EXPECT_EQ(loss.item<double>(), 0.0);
  loss.backward();
}

} // namespace
} // namespace vitrain::engine
