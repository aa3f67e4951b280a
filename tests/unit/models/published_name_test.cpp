// Names of networks and weights, as other programs write them.

#include "models/published_name.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "config/foreign/published_weights.h"
#include "models/families/family.h"

namespace vitrain::models {
namespace {

using config::foreign::find_published;
using config::foreign::published_weights;
using testing::ElementsAre;
using testing::HasSubstr;

std::string network(const std::string& name) {
  return read_published_name(name).network;
}

TEST(PublishedName, NetworksOfOtherPrograms) {
  for (const char* name :
       {"resnet50",
        "resnet50.a1_in1k",
        "timm/resnet50.a1_in1k",
        "timm:resnet50.a1_in1k",
        "hf-hub:timm/resnet50.a1_in1k",
        "hf_hub:timm/resnet50.a1_in1k",
        "https://huggingface.co/timm/resnet50.a1_in1k",
        "ResNet50_Weights.IMAGENET1K_V2",
        "torchvision.models.ResNet50_Weights.DEFAULT",
        "microsoft/resnet-50"}) {
    EXPECT_EQ(network(name), "resnet50") << name;
  }
  const std::string pairs[][2] = {
      // torchvision
      {"vit_b_16", "vit_base_patch16_224"},
      {"Swin_V2_T_Weights.IMAGENET1K_V1", "swinv2_tiny_window8_256"},
      {"ResNeXt50_32X4D_Weights.DEFAULT", "resnext50_32x4d"},
      {"regnet_y_400mf", "regnety_004"},
      // transformers
      {"google/vit-base-patch16-224", "vit_base_patch16_224"},
      {"google/vit-base-patch16-224-in21k", "vit_base_patch16_224"},
      {"facebook/deit-base-distilled-patch16-224",
       "deit_base_distilled_patch16_224"},
      {"microsoft/swin-base-patch4-window12-384-in22k",
       "swin_base_patch4_window12_384"},
      {"microsoft/swinv2-base-patch4-window12to16-192to256-22kto1k-ft",
       "swinv2_base_window12to16_192to256"},
      {"microsoft/beit-base-patch16-224-pt22k-ft22k", "beit_base_patch16_224"},
      {"facebook/convnext-base-384-22k-1k", "convnext_base"},
      {"facebook/convnextv2-tiny-1k-224", "convnextv2_tiny"},
      {"facebook/regnet-y-040", "regnety_040"},
      {"facebook/dinov2-base", "vit_base_patch14_dinov2"},
      {"facebook/dinov2-with-registers-small-imagenet1k-1-layer",
       "vit_small_patch14_reg4_dinov2"},
      {"facebook/levit-128S", "levit_128s"},
      {"facebook/vit-mae-base", "mae_vit_base_patch16"},
      {"apple/mobilevit-xx-small", "mobilevit_xxs"},
      {"google/efficientnet-b0", "tf_efficientnet_b0"},
      {"google/siglip-base-patch16-224", "vit_base_patch16_siglip_224"},
      {"sail/poolformer_s12", "poolformer_s12"},
      // PaddleViT
      {"pvtv2_b2_linear", "pvt_v2_b2_li"},
      {"crossvit_15_dagger_384", "crossvit_15_dagger_408"},
      {"halonet_26t_256", "halonet26t"},
      {"convmixer_1024_20", "convmixer_1024_20_ks9_p14"},
      {"swin_base_patch4_window7_224_21k_1k", "swin_base_patch4_window7_224"},
  };
  for (const auto& [given, own] : pairs) {
    EXPECT_EQ(network(given), own) << given;
    EXPECT_TRUE(find_model(own)) << own;
  }
  for (const char* name :
       {"",
        ".",
        "/",
        "a/",
        "../resnet50",
        "resnet50.pth",
        "resnet50.no_such_tag",
        "bert-base-uncased",
        "google/bert-base",
        "_Weights.DEFAULT"}) {
    EXPECT_EQ(network(name), "") << name;
  }
}

TEST(PublishedName, RepositoryAndRevision) {
  const auto found = [](const std::string& name) {
    const PublishedName read = read_published_name(name);
    return read.repository + " " + read.revision;
  };
  EXPECT_EQ(found("resnet50.a1_in1k"), "timm/resnet50.a1_in1k main");
  EXPECT_EQ(found("resnet50"), " main");
  EXPECT_EQ(found("hf-hub:org/name@v1"), "org/name v1");
  EXPECT_EQ(
      found("https://huggingface.co/org/name/resolve/abc/model.safetensors"),
      "org/name abc");
  EXPECT_EQ(found("ViT_B_16_Weights.IMAGENET1K_V1"), " main");
  // timm takes these weights from the repository of another network.
  EXPECT_EQ(
      found("vit_base_patch32_clip_quickgelu_224.openai"),
      "timm/vit_base_patch32_clip_224.openai main");
}

// Numbers of timm 1.0.31 and torchvision 0.26 (make_timm_tables.py).
TEST(PublishedWeights, Images) {
  const auto timms = find_published("resnet50.a1_in1k").value();
  EXPECT_EQ(timms.file, "resnet50_a1_0-14fe96d1.pth");
  EXPECT_TRUE(timms.is_default);
  EXPECT_EQ(timms.images->size, 224);
  EXPECT_EQ(timms.images->test_size, 288);
  EXPECT_EQ(timms.images->crop_pct, 0.95);
  EXPECT_EQ(timms.images->test_crop_pct, 1.0);
  EXPECT_EQ(timms.images->interpolation, "bicubic");
  EXPECT_THAT(timms.images->mean, ElementsAre(0.485, 0.456, 0.406));
  const auto other = find_published("vit_b_16-c867db91.pth").value();
  EXPECT_EQ(other.name, "ViT_B_16_Weights.IMAGENET1K_V1");
  EXPECT_EQ(other.network, "vit_base_patch16_224");
  EXPECT_EQ(other.images->crop_pct, 0.875);
  EXPECT_EQ(other.images->interpolation, "bilinear");
  EXPECT_FALSE(find_published("resnet50"));
  EXPECT_FALSE(find_published(""));
}

TEST(PublishedWeights, AreOfListedNetworks) {
  std::size_t count = 0;
  for (const std::string& name : listed_names()) {
    const auto all = published_weights(name);
    count += all.size();
    for (std::size_t i = 0; i < all.size(); ++i) {
      EXPECT_EQ(all[i].is_default, i == 0 && !all[i].is_torchvision())
          << all[i].name;
    }
  }
  EXPECT_EQ(count, 1244U); // as make_timm_tables.py prints
}

TEST(PublishedName, TakesThePlaceOfOthersInARecipe) {
  config::PartialRecipe loaded;
  loaded.recipe.model.name = "timm/resnet50.a1_in1k";
  loaded.recipe.train.distill.teacher = "regnet_y_16gf";
  loaded.files = {{"a.yaml", "vit_b_16"}};
  EXPECT_THAT(
      use_published_names(loaded),
      ElementsAre(
          HasSubstr("-pretrained timm/resnet50.a1_in1k"),
          HasSubstr("regnety_160")));
  EXPECT_EQ(loaded.recipe.model.name, "resnet50");
  EXPECT_EQ(loaded.recipe.train.distill.teacher, "regnety_160");
  EXPECT_EQ(loaded.files[0].model, "vit_base_patch16_224");
  for (const char* tag : {"IMAGENET1K_V2", "DEFAULT"}) {
    loaded.recipe.model.pretrained = tag;
    EXPECT_TRUE(use_published_names(loaded).empty());
    EXPECT_EQ(loaded.recipe.model.pretrained, "ResNet50_Weights.IMAGENET1K_V2");
  }
  loaded.recipe.model.name = "no_such_network";
  loaded.recipe.model.pretrained = "DEFAULT";
  use_published_names(loaded);
  EXPECT_EQ(loaded.recipe.model.name, "no_such_network");
  EXPECT_EQ(loaded.recipe.model.pretrained, "DEFAULT");
}

} // namespace
} // namespace vitrain::models
