#include <map>

#include <ATen/CPUGeneratorImpl.h>
#include <ATen/Version.h>
#include <gtest/gtest.h>
#include <zlib.h>

#include "models/resolve.h"
#include "networks/model.h"
#include "networks/tensors.h"
#include "unit/networks/fixtures.h"

namespace vitrain::networks {
namespace {

// The cases of make_fixtures.py.
std::shared_ptr<Model> make_case(const std::string& name) {
  config::ModelConfig config;
  std::uint64_t seed = 0;
  std::int64_t classes = 1000;
  if (name == "cifar") {
    config.name = "vit_tiny_patch16_224";
    config.image_size = 32;
    config.patch_size = 4;
    config.depth = 3;
    config.mlp_ratio = 2.0;
    classes = 10;
    seed = 7;
  } else if (name == "plain") {
    config.name = "vit_tiny_patch16_224";
    seed = 42;
  } else if (name == "small") {
    config.name = "vit_small_patch16_384";
    config.depth = 2;
    classes = 3;
  } else if (name == "odd") {
    config.name = "vit_base_patch8_224";
    config.image_size = 40;
    config.embed_dim = 60;
    config.num_heads = 5;
    config.depth = 2;
    config.mlp_ratio = 2.5;
    classes = 1;
    seed = (std::uint64_t{1} << 40) + 3;
  } else {
    config.name = name;
    classes = name == "resnet18" ? 10 : 7;
    seed = name == "resnet18" ? 1 : 123;
  }
  return make_model(models::resolve(config, {classes}), seed);
}

std::map<std::string, at::Tensor> state_of(Model& model) {
  std::map<std::string, at::Tensor> state;
  for (const auto& item : model.named_parameters()) {
    state[item.key()] = item.value().detach();
  }
  for (const auto& item : model.named_buffers()) {
    state[item.key()] = item.value();
  }
  return state;
}

std::string shape_text(const at::Tensor& tensor) {
  std::vector<std::string> sizes;
  for (const std::int64_t size : tensor.sizes()) {
    sizes.push_back(std::to_string(size));
  }
  return join(sizes, "x");
}

// Returns the CRC-32 of the values in the order of a file.
std::string crc_of(const at::Tensor& tensor) {
  const at::Tensor values = tensor.contiguous();
  const auto crc = ::crc32_z(
      0, static_cast<const Bytef*>(values.data_ptr()), values.nbytes());
  return fmt::format("{:08x}", crc);
}

// The checksum of the fixture script, which depends on each value and its
// position.
at::Tensor weighted(const at::Tensor& tensor) {
  const at::Tensor values = tensor.to(at::kDouble).flatten();
  return values * (at::arange(values.numel()).remainder(251) - 125);
}

class InitTest : public testing::TestWithParam<const char*> {};

// Compares every tensor of timm's constructor by name, shape and CRC-32 of its
// bytes. Truncated normals are compared by value within 2 ulp, because the last
// bits of erfinv depend on the processor's vendor. Without AVX2 ATen's normal_
// takes another path with other rounding, in Python too.
TEST_P(InitTest, EqualsTimm) {
  if (at::get_cpu_capability() == "DEFAULT") {
    GTEST_SKIP() << "the fixture is of processors with AVX2";
  }
  const std::string name = GetParam();
  const auto model = make_case(name);
  auto state = state_of(*model);
  for (const auto& row : read_csv("init.csv")) {
    if (row.at(0) != name) {
      continue;
    }
    ASSERT_TRUE(state.contains(row.at(1))) << row.at(1);
    const at::Tensor value = state.at(row.at(1));
    EXPECT_EQ(shape_text(value), row.at(2)) << row.at(1);
    if (!row.at(3).empty()) {
      EXPECT_EQ(crc_of(value), row.at(3)) << row.at(1);
    }
    const at::Tensor terms = weighted(value);
    EXPECT_NEAR(
        terms.sum().item<double>(),
        std::stod(row.at(4)),
        terms.abs().sum().item<double>() * 0x1p-22)
        << row.at(1);
    state.erase(row.at(1));
  }
  EXPECT_TRUE(state.empty()) << state.begin()->first << " is not in timm's";
}

INSTANTIATE_TEST_SUITE_P(
    Models,
    InitTest,
    testing::Values("cifar", "plain", "small", "odd", "resnet18", "resnet50"),
    [](const auto& case_info) { return std::string(case_info.param); });

TEST(Init, LeavesTheDefaultGeneratorAlone) {
  const at::Tensor before = at::detail::getDefaultCPUGenerator().get_state();
  const auto model = make_case("cifar");
  EXPECT_TRUE(
      at::equal(before, at::detail::getDefaultCPUGenerator().get_state()));
}

TEST(Init, DependsOnTheSeedOnly) {
  config::ModelConfig config;
  config.name = "vit_tiny_patch8_16";
  config.depth = 1;
  const models::ModelSpec spec = models::resolve(config, {2});
  const auto a = state_of(*make_model(spec, 5));
  const auto b = state_of(*make_model(spec, 5));
  const auto c = state_of(*make_model(spec, 6));
  for (const auto& [name, value] : a) {
    EXPECT_TRUE(at::equal(value, b.at(name))) << name;
  }
  EXPECT_FALSE(at::equal(a.at("head.weight"), c.at("head.weight")));
}

TEST(Init, CountsParametersAsTheSpecDoes) {
  for (const char* name : {"cifar", "odd", "small", "resnet18", "resnet50"}) {
    const auto model = make_case(name);
    std::int64_t count = 0;
    for (const auto& parameter : model->parameters()) {
      count += parameter.numel();
    }
    config::ModelConfig config;
    if (std::string(name).starts_with("resnet")) {
      config.name = name;
      const std::int64_t classes = std::string(name) == "resnet18" ? 10 : 7;
      EXPECT_EQ(count, parameter_count(models::resolve(config, {classes})));
    }
    EXPECT_GT(count, 0);
  }
}

} // namespace
} // namespace vitrain::networks
