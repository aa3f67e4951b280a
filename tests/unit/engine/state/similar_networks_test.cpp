#include "engine/state/similar_networks.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "engine/state/padding.h"
#include "models/families/family.h"
#include "networks/tensors.h"
#include "support/files.h"
#include "support/messages.h"

namespace vitrain::engine {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

weights::Layouts layouts_of_network(
    const std::string& name,
    std::int64_t classes) {
  models::ModelSpec spec = *models::find_model(name);
  spec.num_classes = classes;
  weights::Layouts layouts;
  for (const networks::TensorInfo& tensor : networks::tensors_of(spec)) {
    layouts[tensor.name] = {.shape = tensor.shape};
  }
  return layouts;
}

TEST(SimilarNetworks, AreThoseOfTheSameTensors) {
  weights::Layouts given = layouts_of_network("resnet18", 7);
  EXPECT_THAT(similar_networks(given), ElementsAre("resnet18", "resnetblur18"));
  expect_message(
      similar_networks_text(given, "vit_tiny_patch16_224", "a.pth"),
      {"a.pth", "model.name=resnet18"});
  EXPECT_EQ(similar_networks_text(given, "resnet18", "a.pth"), "");
  given["layer1.0.extra.weight"] = {.shape = {4}};
  EXPECT_THAT(similar_networks(given), IsEmpty());
}

// Positions of other images are resized, so they are the same network's.
TEST(SimilarNetworks, MayBeOfOtherImages) {
  weights::Layouts given = layouts_of_network("vit_tiny_patch16_224", 7);
  given["pos_embed"].shape = {1, 65, 192};
  EXPECT_THAT(
      similar_networks(given), ::testing::Contains("vit_tiny_patch16_224"));
  given["pos_embed"].shape = {1, 197, 384};
  given["norm.weight"].shape = {5};
  EXPECT_THAT(similar_networks(given), IsEmpty());
}

class NoValues : public weights::Archive {
 public:
  void read(std::size_t /*storage*/, void* /*bytes*/) const override {}
};

std::string warning_for(
    const char* network,
    const std::filesystem::path& file,
    bool tensorflow = false) {
  NoValues archive;
  archive.tensorflow_padding = tensorflow;
  models::ModelSpec spec = *models::find_model(network);
  spec.name = network;
  return padding_warning(spec, file, archive);
}

// 812 of 1,000 images were right where 883 are with the other padding.
TEST(PaddingWarning, IsOfWeightsOfTheTwin) {
  expect_message(
      warning_for("efficientnet_lite0", "/w/model.pth", /*tensorflow=*/true),
      {"model.name=tf_efficientnet_lite0"});
  EXPECT_EQ(warning_for("tf_efficientnet_lite0", "/w/model.pth", true), "");
  expect_message(
      warning_for(
          "efficientnet_b0",
          "/hub/models--timm--tf_efficientnet_b0.in1k/snapshots/1/"
          "model.safetensors"),
      {"model.name=tf_efficientnet_b0"});
  expect_message(
      warning_for("tf_efficientnet_b0", "/w/efficientnet_b0_ra-3dd342df.pth"),
      {"model.name=efficientnet_b0"});
  EXPECT_EQ(
      warning_for("tf_efficientnet_b0", "/w/tf_efficientnet_b0_aa-827b.pth"),
      "");
  EXPECT_EQ(warning_for("efficientnet_b0", "/w/model.pth"), "");
  EXPECT_EQ(warning_for("resnet18", "/w/tf_efficientnet_b0.pth", true), "");
}

TEST(PaddingWarning, IsByTheConfigBesideTheWeights) {
  const TempFolder folder;
  folder.write(
      "config.json",
      R"({"architecture": "tf_efficientnet_b0", "pretrained_cfg": {}})");
  expect_message(
      warning_for("efficientnet_b0", folder / "model.pth"), {"config.json"});
  EXPECT_EQ(warning_for("tf_efficientnet_b0", folder / "model.pth"), "");
}

} // namespace
} // namespace vitrain::engine
