#include "networks/model.h"

#include <fstream>

#include <ATen/ATen.h>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <zlib.h>

#include "core/json.h"
#include "models/resolve.h"
#include "networks/tensors.h"
#include "unit/networks/fixtures.h"

namespace vitrain::networks {
namespace {

// tests/golden/guides/make_fixtures.py: the network of Horovod's MNIST example.
Json golden() {
  std::ifstream file(VITRAIN_SOURCE_DIR "/tests/golden/guides/convnet.json");
  return Json::parse(file);
}

std::shared_ptr<Model> example() {
  config::ModelConfig config;
  config.name = "mnist_convnet";
  return make_model(
      models::resolve(config, {10}), golden().at("seed").get<std::uint64_t>());
}

at::Tensor images() {
  return pattern(3 * 784, 1).to(at::kFloat).view({3, 1, 28, 28});
}

at::Tensor factors() {
  return pattern(70 * 3, 2).gt(0).to(at::kFloat).view({70, 3}) * 2;
}

at::Tensor numbers(const Json& list) {
  return at::tensor(list.get<std::vector<double>>(), at::kDouble);
}

TEST(ConvNet, StartsAsTorchBitForBit) {
  const auto model = example();
  const Json crc = golden().at("crc");
  EXPECT_EQ(model->named_parameters().size(), crc.size());
  for (const auto& item : model->named_parameters()) {
    const at::Tensor value = item.value().detach();
    const auto sum = ::crc32_z(
        0, static_cast<const Bytef*>(value.data_ptr()), value.nbytes());
    EXPECT_EQ(fmt::format("{:08x}", sum), crc.at(item.key()).get<std::string>())
        << item.key();
  }
}

// Equal operators and weights: fp32 sums of at most 500 products of order 0.1,
// perhaps in another order.
TEST(ConvNet, OutputsAndGradientsEqualTorchs) {
  const auto model = example();
  const at::Tensor plain = model->forward(images(), {});
  EXPECT_TRUE(at::allclose(
      plain.flatten().to(at::kDouble),
      numbers(golden().at("outputs")),
      1e-5,
      1e-6));
  const at::Tensor dropped = model->forward(images(), factors());
  EXPECT_TRUE(at::allclose(
      dropped.flatten().to(at::kDouble),
      numbers(golden().at("dropped")),
      1e-5,
      1e-6));
  at::cross_entropy_loss(dropped, at::tensor({3, 0, 9}, at::kLong)).backward();
  for (const auto& item : model->named_parameters()) {
    const auto expected =
        golden().at("gradient_norms").at(item.key()).get<double>();
    EXPECT_NEAR(
        item.value().grad().norm().item<double>(), expected, 1e-4 * expected)
        << item.key();
  }
}

TEST(ConvNet, DropsChannelsAndUnits) {
  EXPECT_EQ(example()->drop_rates(), std::vector<double>(70, 0.5));
}

TEST(ConvNet, TakesOtherSizesAndColours) {
  config::ModelConfig config;
  config.name = "mnist_convnet";
  config.image_size = 32;
  config.in_chans = 3;
  const models::ModelSpec spec = models::resolve(config, {7});
  const auto model = make_model(spec, 0);
  EXPECT_EQ(
      model->forward(at::zeros({2, 3, 32, 32}), {}).sizes(),
      (at::IntArrayRef{2, 7}));
  std::int64_t count = 0;
  for (const auto& parameter : model->parameters()) {
    count += parameter.numel();
  }
  EXPECT_EQ(parameter_count(spec), count);
}

} // namespace
} // namespace vitrain::networks
