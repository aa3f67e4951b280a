#include <map>

#include <ATen/ATen.h>
#include <ATen/autocast_mode.h>
#include <gtest/gtest.h>
#include <torch/types.h>

#include "models/resolve.h"
#include "networks/model.h"
#include "states/safetensors.h"
#include "unit/networks/fixtures.h"

// Compares with timm, both in double precision: they differ only by the order
// of sums, a few hundred rounding errors of 1e-16, so that 1e-11 of a tensor's
// norm (1e-10 after fifty BatchNorms) leaves no room for a mistake. In single
// precision (rounding 6e-8) a ViT differs by 2e-5, and a residual network on
// four images is chaotic.
namespace vitrain::networks {
namespace {

constexpr std::int64_t kCount = 4;
constexpr std::int64_t kGradientClasses = 5;

at::Tensor images(std::int64_t size) {
  return pattern(kCount * 3 * size * size, 1000).view({kCount, 3, size, size});
}

// Forward and backward of the mean cross entropy; returns the logits.
at::Tensor
backward(Model& model, const at::Tensor& input, const at::Tensor& drop_path) {
  const at::Tensor logits = model.forward(input, drop_path);
  const at::Tensor labels = at::arange(kCount, at::kLong) % kGradientClasses;
  at::cross_entropy_loss(logits, labels).backward();
  return logits.detach();
}

std::shared_ptr<Model> make_vit_case(at::ScalarType type) {
  config::ModelConfig config;
  config.name = "vit_tiny_patch4_16";
  config.embed_dim = 12;
  config.num_heads = 3;
  config.depth = 3;
  config.mlp_ratio = 2.0;
  config.drop_path = 0.2;
  auto model =
      make_model(models::resolve(config, {kGradientClasses}), /*seed=*/0);
  model->to(type);
  set_parameters(*model);
  return model;
}

at::Tensor vit_factors(at::ScalarType type) {
  at::Tensor factors = at::empty({6, kCount}, type);
  for (std::int64_t b = 0; b < 6; ++b) {
    for (std::int64_t n = 0; n < kCount; ++n) {
      factors[b][n] = (n + b) % 3 == 0 ? 0.0 : 1.25;
    }
  }
  return factors;
}

void expect_gradient_near(
    const at::Tensor& value,
    const at::Tensor& expected,
    double tolerance,
    const std::string& what) {
  ASSERT_EQ(value.sizes(), expected.sizes()) << what;
  const double distance =
      (value.to(at::kDouble) - expected).norm().item<double>();
  EXPECT_LE(distance, tolerance * expected.norm().item<double>() + 1e-15)
      << what;
}

void compare_vit(
    at::ScalarType type,
    const std::string& name,
    double tolerance) {
  const auto model = make_vit_case(type);
  const at::Tensor logits = backward(
      *model,
      images(16).to(type),
      name == "dropped" ? vit_factors(type) : at::Tensor());
  const auto golden =
      states::read_safetensors(fixture("vit_gradients.safetensors")).tensors;
  expect_gradient_near(
      logits, golden.at(name + "/logits"), tolerance, "logits");
  for (const auto& item : model->named_parameters()) {
    at::Tensor expected = golden.at(name + "/" + item.key());
    at::Tensor gradient = item.value().grad();
    if (item.key().ends_with("qkv.bias")) {
      // The key's bias shifts all logits of a query equally: its gradient is
      // zero up to rounding noise.
      const std::int64_t width = expected.numel() / 3;
      EXPECT_LT(
          gradient.narrow(0, width, width).abs().max().item<double>(), 1e-6);
      gradient = at::cat(
          {gradient.narrow(0, 0, width), gradient.narrow(0, 2 * width, width)});
      expected = at::cat(
          {expected.narrow(0, 0, width), expected.narrow(0, 2 * width, width)});
    }
    expect_gradient_near(gradient, expected, tolerance, item.key());
  }
}

TEST(Vit, HasTimmsLogitsAndGradients) {
  compare_vit(at::kDouble, "plain", 1e-11);
  compare_vit(at::kFloat, "plain", 2e-5);
}

TEST(Vit, DropsPathsAsTimmDoes) {
  compare_vit(at::kDouble, "dropped", 1e-11);
  compare_vit(at::kFloat, "dropped", 2e-5);
}

// bf16 has 8 bits: 2^-9 a rounding, some dozens of them in a row.
TEST(Vit, StaysNearUnderAutocast) {
  const auto model = make_vit_case(at::kFloat);
  const auto golden =
      states::read_safetensors(fixture("vit_gradients.safetensors")).tensors;
  at::autocast::set_autocast_enabled(at::kCPU, true);
  at::autocast::set_autocast_dtype(at::kCPU, at::kBFloat16);
  at::Tensor logits;
  for (const bool dropped : {false, true}) {
    logits = model->forward(
        images(16).to(at::kFloat),
        dropped ? vit_factors(at::kFloat) : at::Tensor());
    expect_gradient_near(
        logits.detach(),
        golden.at(dropped ? "dropped/logits" : "plain/logits"),
        0.05,
        "logits");
  }
  at::autocast::clear_cache();
  at::autocast::set_autocast_enabled(at::kCPU, false);
  EXPECT_EQ(logits.scalar_type(), at::kBFloat16);
  logits.sum().backward();
  for (const auto& item : model->named_parameters()) {
    EXPECT_EQ(item.value().grad().scalar_type(), at::kFloat) << item.key();
  }
}

// Norm and two products with fixed patterns: as good as the tensor itself.
void expect_summary(
    const at::Tensor& tensor,
    const std::vector<std::string>& row,
    double tolerance) {
  const at::Tensor flat = tensor.detach().to(at::kDouble).flatten();
  double norm = 0.0;
  ASSERT_TRUE(parse_double(row.at(3), norm));
  // A pattern's norm is the most by which a difference can be amplified.
  const double reach = std::sqrt(static_cast<double>(flat.numel()));
  EXPECT_NEAR(flat.norm().item<double>(), norm, tolerance * norm) << row.at(2);
  for (int i = 1; i <= 2; ++i) {
    double product = 0.0;
    ASSERT_TRUE(parse_double(row.at(3 + static_cast<std::size_t>(i)), product));
    EXPECT_NEAR(
        (flat * pattern(flat.numel(), i)).sum().item<double>(),
        product,
        tolerance * norm * reach)
        << row.at(2);
  }
}

void compare_resnet(const std::string& name, double tolerance) {
  config::ModelConfig config;
  config.name = name;
  const auto model =
      make_model(models::resolve(config, {kGradientClasses}), /*seed=*/0);
  model->to(at::kDouble);
  set_parameters(*model);
  const at::Tensor logits = backward(*model, images(64), {});
  const auto parameters = model->named_parameters();
  const auto buffers = model->named_buffers();
  std::size_t rows = 0;
  for (const auto& row : read_csv("resnet_gradients.csv")) {
    if (row.at(0) != name) {
      continue;
    }
    ++rows;
    if (row.at(1) == "logits") {
      expect_summary(logits, row, tolerance);
    } else if (row.at(1) == "gradient") {
      const at::Tensor* value = parameters.find(row.at(2));
      ASSERT_NE(value, nullptr) << row.at(2);
      expect_summary(value->grad(), row, tolerance);
    } else {
      const at::Tensor* value = buffers.find(row.at(2));
      ASSERT_NE(value, nullptr) << row.at(2);
      expect_summary(*value, row, tolerance);
    }
  }
  EXPECT_EQ(rows, 1 + parameters.size() + buffers.size());
}

TEST(ResNet, HasTimmsGradientsAndStatistics) {
  compare_resnet("resnet18", 1e-11);
}

TEST(ResNet, HasTimmsBottleneck) {
  compare_resnet("resnet50", 1e-10);
}

} // namespace
} // namespace vitrain::networks
