#include <fstream>

#include <ATen/ATen.h>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <zlib.h>

#include "core/json.h"
#include "models/resolve.h"
#include "networks/image_start.h"
#include "networks/model.h"
#include "unit/networks/fixtures.h"

namespace vitrain::networks {
namespace {

// tests/golden/models/make_cifarnet.py: the same network in torch.
Json reference() {
  std::ifstream file(fixture("cifarnet.json"));
  return Json::parse(file);
}

std::shared_ptr<Model> cifarnet() {
  return make_model(
      models::resolve(named("cifarnet"), {10}),
      reference().at("seed").get<std::uint64_t>());
}

at::Tensor cifar_images() {
  return pattern(4L * 3 * 32 * 32, 1).view({4, 3, 32, 32});
}

at::Tensor doubles(const Json& list) {
  return at::tensor(list.get<std::vector<double>>(), at::kDouble);
}

TEST(CifarNet, StartsAsTorchBitForBit) {
  const auto model = cifarnet();
  const Json crc = reference().at("crc");
  EXPECT_EQ(model->named_parameters().size(), crc.size());
  for (const auto& item : model->named_parameters()) {
    const at::Tensor value = item.value().detach().contiguous();
    const auto sum = ::crc32_z(
        0, static_cast<const Bytef*>(value.data_ptr()), value.nbytes());
    EXPECT_EQ(fmt::format("{:08x}", sum), crc.at(item.key()).get<std::string>())
        << item.key();
  }
}

// Both in double precision: sums of at most 2304 products in another order, and
// three BatchNorms in sequence with an epsilon of 0.
TEST(CifarNet, OutputsAndGradientsEqualTorchs) {
  const auto model = cifarnet();
  model->to(at::kDouble);
  const at::Tensor outputs = model->forward(cifar_images(), {});
  EXPECT_TRUE(at::allclose(
      outputs.flatten(), doubles(reference().at("outputs")), 1e-9, 1e-11));
  at::cross_entropy_loss(outputs, at::tensor({3, 0, 9, 1}, at::kLong))
      .backward();
  const Json norms = reference().at("gradient_norms");
  for (const auto& item : model->named_parameters()) {
    const auto expected = norms.at(item.key()).get<double>();
    EXPECT_NEAR(
        item.value().grad().norm().item<double>(),
        expected,
        1e-8 * expected + 1e-12)
        << item.key();
  }
  model->eval(); // by the statistics that momentum 0.4 has left
  EXPECT_TRUE(at::allclose(
      model->forward(cifar_images(), {}).flatten(),
      doubles(reference().at("evaluated")),
      1e-9,
      1e-11));
}

// Equal up to the sign of each filter, because eigenvectors have none. Filters
// are stored in fp32.
TEST(CifarNet, WhitensAsTheReference) {
  const auto model = cifarnet();
  auto* start = dynamic_cast<ImageStart*>(model.get());
  ASSERT_NE(start, nullptr);
  start->start_from(cifar_images().to(at::kFloat));
  const at::Tensor filters = model->named_parameters()["whiten.weight"]
                                 .detach()
                                 .to(at::kDouble)
                                 .reshape({24, 12});
  const at::Tensor expected =
      doubles(reference().at("whitening")).view({12, 12});
  for (std::int64_t i = 0; i < 12; ++i) {
    const at::Tensor sign = filters[i].dot(expected[i]).sign();
    EXPECT_TRUE(at::allclose(filters[i] * sign, expected[i], 1e-5, 1e-5)) << i;
    EXPECT_TRUE(at::equal(filters[i + 12], -filters[i])) << i;
  }
}

} // namespace
} // namespace vitrain::networks
