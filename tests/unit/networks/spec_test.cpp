#include "models/resolve.h"

#include <algorithm>
#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/error.h"
#include "models/families/family.h"
#include "models/families/vit.h"
#include "networks/tensors.h"
#include "support/errors.h"
#include "support/messages.h"
#include "unit/networks/fixtures.h"

namespace vitrain::networks {
namespace {

using ::testing::HasSubstr;

const models::VitSpec& vit_of(const models::ModelSpec& spec) {
  return std::any_cast<const models::VitSpec&>(spec.numbers);
}

// The message of the Error(kUsage) that resolve throws.
std::string refusal(
    const config::ModelConfig& config,
    std::int64_t data_classes = 10) {
  return error_of(
      ExitCode::kUsage, [&] { models::resolve(config, {data_classes}); });
}

TEST(Spec, TakesNumbersFromTheName) {
  const models::ModelSpec spec =
      models::resolve(named("vit_small_patch16_224"), {37});
  EXPECT_EQ(spec.num_classes, 37);
  EXPECT_EQ(spec.image_size, 224);
  EXPECT_EQ(
      vit_of(spec),
      (models::VitSpec{
          .patch_size = 16,
          .embed_dim = 384,
          .depth = 12,
          .num_heads = 6,
          .mlp_dim = 1536}));
}

TEST(Spec, AcceptsEveryPatchAndImageSizeOfThePattern) {
  const models::ModelSpec spec =
      models::resolve(named("vit_tiny_patch4_32"), {10});
  EXPECT_EQ(vit_of(spec).patch_size, 4);
  EXPECT_EQ(spec.image_size, 32);
  EXPECT_EQ(vit_of(spec).embed_dim, 192);
}

TEST(Spec, TakesOverrides) {
  config::ModelConfig config = named("vit_tiny_patch16_224");
  config.image_size = 32;
  config.patch_size = 4;
  config.embed_dim = 60;
  config.depth = 9;
  config.num_heads = 5;
  config.mlp_ratio = 2.55;
  config.num_classes = 12;
  config.drop_path = 0.25;
  const models::ModelSpec spec = models::resolve(config, {10});
  EXPECT_EQ(spec.num_classes, 12);
  EXPECT_EQ(spec.image_size, 32);
  EXPECT_EQ(
      vit_of(spec),
      (models::VitSpec{
          .patch_size = 4,
          .embed_dim = 60,
          .depth = 9,
          .num_heads = 5,
          .mlp_dim = 153}));
  EXPECT_EQ(spec.drop_path, 0.25);
}

TEST(Spec, KeepsTheRatioOfTheMlpWhenTheWidthChanges) {
  config::ModelConfig config = named("vit_tiny_patch16_224");
  config.embed_dim = 96;
  const models::ModelSpec spec = models::resolve(config, {10});
  EXPECT_EQ(vit_of(spec).mlp_dim, 384);
}

TEST(Spec, NamesTheNearestModel) {
  expect_message(
      refusal(named("vit_smal_patch16_224")),
      {"'vit_smal_patch16_224'", "'vit_small_patch16_224'"});
}

TEST(Spec, RefusesNamesThatOnlyLookRight) {
  for (const char* name :
       {"vit_tiny_patch16",
        "vit_tiny_patch016_224",
        "vit_tiny_patch-16_224",
        "vit_tiny_patch+16_224",
        "vit_tiny_patch16_224_",
        "vit_tiny_patch16_",
        "vit_tiny_patch_224",
        "vit_tiny_patch0_224",
        "vit_tiny_patch16_0",
        "vit_tiny_patch16_99999999999999999999",
        "vit_colossal_patch14_224",
        "vit_tiny_patch16_gap_gap_224",
        "vit_tiny_patch16_reg_224",
        "vit_tiny_patch16_224_224",
        "vit_tiny_patch14_dinov3",
        "deit_tiny_patch16_distilled_224",
        "deit3_tiny_distilled_patch16_224",
        "flexivit_",
        "flexivit_dwee", // sizes of other blocks
        "deit_pwee_patch16_224",
        "deit3_intern300m_patch14_224",
        "VIT_tiny_patch16_224",
        "resnet33",
        "resnet18\x1b[2J",
        " resnet18"}) {
    EXPECT_THAT(refusal(named(name)), HasSubstr("unknown model")) << name;
  }
}

TEST(Spec, RefusesNumbersThatDoNotFitTogether) {
  config::ModelConfig config = named("vit_tiny_patch16_224");
  config.image_size = 225;
  expect_message(refusal(config), {"image_size", "225", "16"});
  config = named("vit_small_patch14_384");
  expect_message(refusal(config), {});
  config = named("vit_so400m_patch14_siglip_384");
  config.image_size = 385;
  expect_message(refusal(config), {});
  config = named("mae_vit_huge_patch14");
  config.image_size = 225;
  expect_message(refusal(config), {});
  config = named("scale_hvt_ti_4_patch16_224"); // 36 patches, 17, 8, 3, 1
  config.image_size = 96;
  EXPECT_EQ(models::resolve(config, {10}).image_size, 96);
  config.image_size = 80; // 25 patches, 12, 5, 2
  expect_message(refusal(config), {"4"});
  config = named("vit_tiny_patch16_224");
  config.num_heads = 5;
  expect_message(refusal(config), {"embed_dim", "192", "num_heads", "5"});
  config = named("vit_dwee_patch16_reg1_gap_256");
  config.num_heads = 256;
  expect_message(refusal(config), {"num_heads", "256"});
  config = named("vit_tiny_patch16_224");
  config.mlp_ratio = 1e-9;
  expect_message(refusal(config), {"mlp_ratio"});
  config.mlp_ratio = 1e30;
  expect_message(refusal(config), {"mlp_ratio"});
  config = named("vit_tiny_patch16_224");
  config.num_classes = 9;
  expect_message(refusal(config), {"num_classes", "9", "10"});
}

// As timm: so400m with patches of 14 pixels has images of 384.
TEST(Spec, ItsOwnImagesMayLeavePixelsOver) {
  config::ModelConfig config = named("vit_so400m_patch14_siglip_384");
  for (const bool set : {false, true}) {
    if (set) {
      config.image_size = 384;
    }
    const auto tensors = tensors_of(models::resolve(config, {10}));
    const auto found =
        std::ranges::find(tensors, "pos_embed", &TensorInfo::name);
    ASSERT_NE(found, tensors.end());
    EXPECT_EQ(found->shape.at(1), 27 * 27);
  }
}

TEST(Spec, RefusesWhatAFamilyDoesNotHave) {
  const auto message = [](auto change) {
    config::ModelConfig config = named("resnet50");
    change(config);
    return refusal(config);
  };
  using Config = config::ModelConfig;
  expect_message(
      message([](Config& c) { c.patch_size = 16; }), {"model.patch_size"});
  expect_message(
      message([](Config& c) { c.embed_dim = 16; }), {"model.embed_dim"});
  expect_message(message([](Config& c) { c.depth = 16; }), {"model.depth"});
  expect_message(
      message([](Config& c) { c.num_heads = 16; }), {"model.num_heads"});
  expect_message(
      message([](Config& c) { c.mlp_ratio = 2.0; }), {"model.mlp_ratio"});
  expect_message(
      message([](Config& c) { c.dropout = 0.1; }), {"model.dropout"});
  config::ModelConfig config = named("mnist_convnet");
  config.drop_path = 0.1;
  expect_message(refusal(config), {"model.drop_path"});
}

TEST(Spec, ListsModelsWithTheirPublishedSizes) {
  std::map<std::string, std::int64_t> parameters;
  for (const std::string& name : models::listed_names()) {
    const models::ModelSpec spec = *models::find_model(name);
    const std::int64_t count = counts_of(spec).parameters;
    EXPECT_TRUE(parameters.emplace(name, count).second) << name;
    EXPECT_FALSE(spec.family->describe(spec).empty());
    EXPECT_EQ(models::resolve(named(name), {1000}).image_size, spec.image_size);
  }
  // timm's own table of results.
  EXPECT_EQ(parameters.at("vit_tiny_patch16_224"), 5'717'416);
  EXPECT_EQ(parameters.at("vit_small_patch16_224"), 22'050'664);
  EXPECT_EQ(parameters.at("vit_base_patch16_224"), 86'567'656);
  EXPECT_EQ(parameters.at("vit_base_patch32_384"), 88'297'192);
  EXPECT_EQ(parameters.at("vit_large_patch16_384"), 304'715'752);
  EXPECT_EQ(parameters.at("vit_huge_patch14_224"), 632'045'800);
  EXPECT_EQ(parameters.at("resnet18"), 11'689'512);
  EXPECT_EQ(parameters.at("resnet50"), 25'557'032);
}

} // namespace
} // namespace vitrain::networks
