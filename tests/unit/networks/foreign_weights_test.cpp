#include <functional>
#include <string>

#include <ATen/ATen.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "models/families/beit.h"
#include "models/families/byob.h"
#include "models/families/cait.h"
#include "models/families/coat.h"
#include "models/families/convnext.h"
#include "models/families/efficientnet.h"
#include "models/families/family.h"
#include "models/families/levit.h"
#include "models/families/regnet.h"
#include "models/families/swin.h"
#include "models/families/vit.h"
#include "models/families/volo.h"
#include "models/families/xcit.h"
#include "networks/model.h"
#include "states/load_tensors.h"
#include "states/safetensors.h"
#include "weights/archive.h"
#include "weights/names/timm_names.h"

// Files that other libraries wrote (tests/golden/weights/make_files.py), of
// their models: ours makes the same of the same images.
namespace vitrain::networks::foreign_weights {
namespace {

constexpr std::int64_t kForeignImages = 3;
constexpr std::int64_t kForeignClasses = 7;

std::string golden(const std::string& name) {
  return std::string(VITRAIN_SOURCE_DIR "/tests/golden/weights/") + name;
}

using models::ModelSpec;

ModelSpec small_vit_of(const char* name, std::int64_t depth) {
  ModelSpec spec = *models::find_model(name);
  spec.image_size = 32;
  auto net = spec.get<models::VitSpec>();
  net.patch_size = 8;
  net.embed_dim = 16;
  net.depth = depth;
  net.num_heads = 2;
  net.mlp_dim = 64;
  spec.numbers = net;
  return spec;
}

ModelSpec small_vit() {
  return small_vit_of("vit_tiny_patch16_224", 2);
}
ModelSpec small_deit() {
  return small_vit_of("deit_tiny_distilled_patch16_224", 2);
}
ModelSpec small_siglip() {
  return small_vit_of("vit_base_patch16_siglip_224", 3);
}

ModelSpec small_siglip_2() {
  return small_vit_of("vit_base_patch32_siglip_256", 2);
}
ModelSpec small_siglip_gap() {
  return small_vit_of("vit_base_patch32_siglip_gap_256", 2);
}
ModelSpec small_dino() {
  return small_vit_of("vit_small_patch14_dinov2", 2);
}
ModelSpec small_dino_with_registers() {
  return small_vit_of("vit_small_patch14_reg4_dinov2", 2);
}

ModelSpec small_regnet(bool squeeze) {
  ModelSpec spec = *models::find_model(squeeze ? "regnety_002" : "regnetx_002");
  spec.image_size = 64;
  spec.numbers = models::RegNetSpec{
      .depths = {1, 2, 1, 1},
      .widths = {8, 16, 24, 32},
      .group_widths = {8, 8, 8, 8},
      .squeeze = squeeze,
      .stem = 8};
  return spec;
}
ModelSpec regnet_x() {
  return small_regnet(/*squeeze=*/false);
}
ModelSpec regnet_y() {
  return small_regnet(/*squeeze=*/true);
}

ModelSpec efficientnet() {
  ModelSpec spec = *models::find_model("tf_efficientnet_b0");
  spec.image_size = 64;
  auto net = spec.get<models::EfficientNetSpec>();
  net.stem = 8;
  net.features = 320;
  std::int64_t in = net.stem;
  std::int64_t width = 4;
  for (auto& stage : net.stages) {
    for (auto& block : stage) {
      block.in = in;
      block.hidden = &stage == net.stages.data() ? in : 2 * in;
      block.squeezed = in / 4;
      block.out = width;
      block.skip = block.stride == 1 && in == width;
      in = width;
    }
    width += 4;
  }
  spec.numbers = net;
  return spec;
}

ModelSpec small_swin() {
  ModelSpec spec = *models::find_model("swin_tiny_patch4_window7_224");
  spec.image_size = 224;
  auto net = spec.get<models::SwinSpec>();
  net.embed_dim = 4;
  net.depths = {2, 1, 1, 2};
  net.heads = {1, 1, 2, 2};
  spec.numbers = net;
  return spec;
}

// Returns a small network of a family whose numbers have these names.
template <typename Numbers>
ModelSpec small_tokens(const char* name) {
  ModelSpec spec = *models::find_model(name);
  spec.image_size = 32;
  auto net = spec.get<Numbers>();
  net.patch_size = 8;
  net.embed_dim = 16;
  net.depth = 2;
  net.heads = 2;
  spec.numbers = net;
  return spec;
}

ModelSpec small_beit() {
  return small_tokens<models::BeitSpec>("beit_base_patch16_224");
}
ModelSpec small_cait() {
  return small_tokens<models::CaitSpec>("cait_xxs24_224");
}
ModelSpec small_xcit() {
  return small_tokens<models::XcitSpec>("xcit_tiny_12_p8_224");
}

ModelSpec small_swin_v2() {
  ModelSpec spec = *models::find_model("swinv2_tiny_window8_256");
  spec.image_size = 32;
  spec.numbers = models::SwinSpec{
      .embed_dim = 4,
      .depths = {2, 1, 1, 1},
      .heads = {1, 1, 2, 2},
      .windows = {4, 4, 4, 4},
      .windows_before = {3, 0, 0, 0}};
  return spec;
}

ModelSpec small_convnext(const char* name) {
  ModelSpec spec = *models::find_model(name);
  spec.image_size = 64;
  auto net = spec.get<models::ConvNeXtSpec>();
  net.depths = {1, 2, 1, 1};
  net.widths = {8, 12, 16, 20};
  spec.numbers = net;
  return spec;
}

ModelSpec convnext() {
  return small_convnext("convnext_tiny");
}
ModelSpec convnext_v2() {
  return small_convnext("convnextv2_nano");
}

ModelSpec small_levit() {
  ModelSpec spec = *models::find_model("levit_128s");
  spec.image_size = 64;
  spec.numbers = models::LevitSpec{
      .widths = {16, 24, 20},
      .depths = {1, 2, 1},
      .heads = {2, 3, 2},
      .key_width = 4};
  return spec;
}

ModelSpec small_volo() {
  ModelSpec spec = *models::find_model("volo_d1_224");
  spec.image_size = 32;
  spec.numbers = models::VoloSpec{
      .depths = {1, 1, 0, 1},
      .outlook_width = 4,
      .outlook_heads = 1,
      .width = 8,
      .heads = 2,
      .stem_width = 4};
  return spec;
}

ModelSpec small_coat(
    const models::CoatSpec::Stages& widths,
    std::int64_t parallel_depth) {
  ModelSpec spec = *models::find_model("coat_tiny");
  spec.image_size = 64;
  spec.numbers = models::CoatSpec{
      .widths = widths,
      .depths = {1, 1, 1, 2},
      .mlp_ratios = {2, 2, 2, 2},
      .parallel_depth = parallel_depth};
  return spec;
}

ModelSpec coat_lite() {
  return small_coat({8, 8, 16, 8}, 0);
}
ModelSpec coat() {
  return small_coat({8, 8, 8, 8}, 1);
}

template <typename Change>
ModelSpec small_byob(const char* name, const Change& change) {
  ModelSpec spec = *models::find_model(name);
  spec.image_size = 64;
  auto net = spec.get<models::ByobSpec>();
  change(net);
  spec.numbers = net;
  return spec;
}

ModelSpec mobileone(
    const std::vector<std::int64_t>& depths,
    const std::vector<double>& factors,
    const std::vector<std::int64_t>& gated) {
  return small_byob("mobileone_s0", [&](models::ByobSpec& net) {
    net.stem_width = 16;
    net.stages = models::mobileone_stages(depths, factors, gated, 2);
  });
}

ModelSpec mobileone_se() {
  return mobileone({1, 2, 1, 1}, {0.25, 0.0625, 0.5, 0.25}, {0, 0, 0, 1});
}
ModelSpec mobileone_plain() {
  return mobileone({1, 2, 1, 1}, {0.25, 0.125, 0.0625, 0.03125}, {0, 0, 0, 0});
}

ModelSpec mobilevit() {
  return small_byob("mobilevit_xxs", [](models::ByobSpec& net) {
    const double widths[] = {8, 8, 16, 16, 24};
    const std::int64_t transformers[] = {8, 8, 16};
    net.features = 48;
    for (std::size_t i = 0; i < net.stages.size(); ++i) {
      for (models::ByobBlocks& blocks : net.stages[i]) {
        blocks.width = widths[i];
        if (blocks.transformer_width > 0) {
          blocks.transformer_width = transformers[i - 2];
        }
      }
    }
  });
}

ModelSpec mobilevit_v2() {
  return small_byob("mobilevitv2_050", [](models::ByobSpec& net) {
    const double widths[] = {16, 16, 32, 48, 64};
    const std::int64_t depths[] = {1, 2, 1};
    net.stem_width = 16;
    for (std::size_t i = 0; i < net.stages.size(); ++i) {
      for (models::ByobBlocks& blocks : net.stages[i]) {
        blocks.width = widths[i];
        if (blocks.transformer_depth > 0) {
          blocks.transformer_depth = depths[i - 2];
        }
      }
    }
  });
}

ModelSpec halonet() {
  return small_byob("halonet26t", [](models::ByobSpec& net) {
    const double widths[] = {32, 32, 64, 64};
    net.stages[0].pop_back();
    net.stages[1].pop_back();
    for (std::size_t i = 0; i < net.stages.size(); ++i) {
      for (models::ByobBlocks& blocks : net.stages[i]) {
        blocks.width = widths[i];
        if (blocks.block > 0) {
          blocks.block = 2;
          blocks.halo = 1;
          blocks.heads = 2;
        }
      }
    }
  });
}

struct ForeignFile {
  const char* file;
  const char* logits; // whose
  const char* program; // that the names show
  const char* format;
  ModelSpec (*spec)();
  double tolerance = 1e-12;
};

std::string name_of(const testing::TestParamInfo<ForeignFile>& info) {
  std::string name = info.param.file;
  for (char& c : name) {
    c = c == '.' ? '_' : c;
  }
  return name;
}

at::Tensor images(const ImageSize& size) {
  const std::int64_t count = kForeignImages * 3 * size.area();
  const at::Tensor k = at::arange(count, at::kLong);
  return ((k * 7919 + 5 * 104729).remainder(61).to(at::kDouble) / 61 - 0.5)
      .view({kForeignImages, 3, size.height, size.width});
}

class ForeignWeights : public testing::TestWithParam<ForeignFile> {};

TEST_P(ForeignWeights, GiveTheirModelsLogits) {
  const ForeignFile& test = GetParam();
  ModelSpec spec = test.spec();
  spec.num_classes = kForeignClasses;
  for (const char* program : {"auto", test.program}) {
    const auto model = make_model(spec, /*seed=*/1);
    const auto archive = weights::open_archive(golden(test.file));
    EXPECT_STREQ(archive->format, test.format);
    weights::to_timm_names(*archive, program);
    const bool renamed = std::string(test.program) != "timm";
    EXPECT_EQ(
        renamed,
        !archive->notes.empty() &&
            archive->notes.back().starts_with(
                std::string("names and layouts of ") + test.program));
    states::load_weights(*model, *archive, {}, test.file);
    model->to(at::kDouble);
    model->eval();
    const at::NoGradGuard no_grad;
    const at::Tensor logits = model->forward(images(spec.image_size), {});
    const at::Tensor expected =
        states::read_safetensors(golden("logits.safetensors"))
            .tensors.at(test.logits);
    EXPECT_LT(
        (logits - expected).abs().max().item<double>(),
        test.tolerance * expected.abs().max().item<double>())
        << program;
  }
}

TEST_P(ForeignWeights, AreRefusedUnderAnothersNames) {
  const ForeignFile& test = GetParam();
  const auto archive = weights::open_archive(golden(test.file));
  const std::string other =
      std::string(test.program) == "mmpretrain" ? "big_vision" : "mmpretrain";
  try {
    weights::to_timm_names(*archive, other);
    ADD_FAILURE() << "accepted";
  } catch (const std::exception& error) {
    EXPECT_THAT(
        error.what(),
        testing::HasSubstr("its names are not those of " + other));
  }
}

constexpr const char* kTorch = "PyTorch";
constexpr const char* kLegacy = "PyTorch (before 1.6)";
constexpr const char* kPaddle = "PaddlePaddle";

INSTANTIATE_TEST_SUITE_P(
    All,
    ForeignWeights,
    testing::Values(
        ForeignFile{
            "torchvision_vit.pth",
            "torchvision_vit",
            "torchvision",
            kTorch,
            small_vit},
        ForeignFile{
            "torchvision_swin.pth",
            "torchvision_swin",
            "torchvision",
            kLegacy,
            small_swin},
        ForeignFile{
            "torchvision_convnext.pt",
            "torchvision_convnext",
            "torchvision",
            kTorch,
            convnext},
        ForeignFile{
            "transformers_vit.safetensors",
            "transformers_vit",
            "transformers",
            "safetensors",
            small_vit},
        ForeignFile{
            "transformers_swin.bin",
            "transformers_swin",
            "transformers",
            kTorch,
            small_swin},
        ForeignFile{
            "transformers_convnext.safetensors",
            "transformers_convnext",
            "transformers",
            "safetensors",
            convnext},
        ForeignFile{
            "transformers_convnextv2.safetensors",
            "transformers_convnextv2",
            "transformers",
            "safetensors",
            convnext_v2},
        ForeignFile{
            "transformers_beit.safetensors",
            "transformers_beit",
            "transformers",
            "safetensors",
            small_beit},
        // make_transformers_files.py
        ForeignFile{
            "transformers_5_vit.safetensors",
            "transformers_5_vit",
            "transformers",
            "safetensors",
            small_vit},
        ForeignFile{
            "transformers_5_deit.safetensors",
            "transformers_5_deit",
            "transformers",
            "safetensors",
            small_deit},
        ForeignFile{
            "transformers_5_beit.safetensors",
            "transformers_5_beit",
            "transformers",
            "safetensors",
            small_beit},
        ForeignFile{
            "transformers_5_swin.safetensors",
            "transformers_5_swin",
            "transformers",
            "safetensors",
            small_swin},
        ForeignFile{
            "transformers_dinov2.safetensors",
            "transformers_dinov2",
            "transformers",
            "safetensors",
            small_dino},
        ForeignFile{
            "transformers_dinov2_with_registers.safetensors",
            "transformers_dinov2_with_registers",
            "transformers",
            "safetensors",
            small_dino_with_registers},
        ForeignFile{
            "transformers_siglip.safetensors",
            "transformers_siglip",
            "transformers",
            "safetensors",
            small_siglip_2},
        ForeignFile{
            "transformers_siglip_gap.safetensors",
            "transformers_siglip_gap",
            "transformers",
            "safetensors",
            small_siglip_gap},
        ForeignFile{
            "transformers_regnetx.safetensors",
            "transformers_regnetx",
            "transformers",
            "safetensors",
            regnet_x},
        ForeignFile{
            "transformers_regnety.safetensors",
            "transformers_regnety",
            "transformers",
            "safetensors",
            regnet_y},
        ForeignFile{
            "transformers_efficientnet.safetensors",
            "transformers_efficientnet",
            "transformers",
            "safetensors",
            efficientnet},
        // Theirs and timm's positions are in single precision.
        ForeignFile{
            "transformers_swinv2.safetensors",
            "transformers_swinv2",
            "transformers",
            "safetensors",
            small_swin_v2,
            1e-5},
        ForeignFile{
            "original_xcit.pth",
            "original_xcit",
            "original",
            kTorch,
            small_xcit,
            1e-5},
        ForeignFile{
            "paddlevit_cait.safetensors",
            "cait",
            "paddlevit",
            "safetensors",
            small_cait},
        ForeignFile{
            "original_convnext.pth",
            "original_convnext",
            "original",
            kTorch,
            convnext},
        ForeignFile{
            "original_swin.pth",
            "original_swin",
            "original",
            kTorch,
            small_swin},
        ForeignFile{
            "mmpretrain_swin.pth",
            "original_swin",
            "mmpretrain",
            kTorch,
            small_swin},
        ForeignFile{
            "mmpretrain_vit.pth",
            "timm_vit",
            "mmpretrain",
            kTorch,
            small_vit},
        ForeignFile{"flax_vit.npz", "timm_vit", "big_vision", "npz", small_vit},
        ForeignFile{
            "big_vision_siglip.npz",
            "big_vision_siglip",
            "big_vision",
            "npz",
            small_siglip},
        ForeignFile{
            "paddle_levit.npz",
            "timm_levit",
            "paddlevit",
            "npz",
            small_levit},
        ForeignFile{
            "transformers_levit.safetensors",
            "transformers_levit",
            "transformers",
            "safetensors",
            small_levit},
        ForeignFile{
            "paddle_volo.npz",
            "timm_volo",
            "paddlevit",
            "npz",
            small_volo},
        ForeignFile{
            "paddle_coat_lite.npz",
            "timm_coat_lite",
            "paddlevit",
            "npz",
            coat_lite},
        ForeignFile{"timm_coat.pth", "timm_coat", "timm", kTorch, coat},
        ForeignFile{"timm_vit.npz", "timm_vit", "timm", "npz", small_vit},
        // Halves: multiples of 1/64 below 2 are exact in them.
        ForeignFile{
            "timm_vit_views.pth",
            "timm_vit",
            "timm",
            kTorch,
            small_vit},
        ForeignFile{
            "original_mobileone.pth",
            "original_mobileone",
            "original",
            kTorch,
            mobileone_se},
        ForeignFile{
            "paddlevit_mobileone.pdparams",
            "paddlevit_mobileone",
            "paddlevit",
            kPaddle,
            mobileone_plain},
        // Its softmax is in single precision.
        ForeignFile{
            "original_mobilevit.pth",
            "original_mobilevit",
            "original",
            kTorch,
            mobilevit,
            1e-6},
        ForeignFile{
            "original_mobilevitv2.pth",
            "original_mobilevitv2",
            "original",
            kTorch,
            mobilevit_v2},
        ForeignFile{
            "transformers_mobilevit.safetensors",
            "transformers_mobilevit",
            "transformers",
            "safetensors",
            mobilevit},
        ForeignFile{
            "transformers_mobilevitv2.safetensors",
            "transformers_mobilevitv2",
            "transformers",
            "safetensors",
            mobilevit_v2},
        ForeignFile{
            "paddlevit_halonet.pdparams",
            "paddlevit_halonet",
            "paddlevit",
            kPaddle,
            halonet},
        ForeignFile{
            "paddle_vit.pdparams",
            "timm_vit",
            "paddlevit",
            kPaddle,
            small_vit},
        ForeignFile{
            "paddle_vit_2.pdparams",
            "timm_vit",
            "paddlevit",
            kPaddle,
            small_vit},
        ForeignFile{
            "paddle_vit_nested.pdparams",
            "timm_vit",
            "paddlevit",
            kPaddle,
            small_vit}),
    name_of);

} // namespace
} // namespace vitrain::networks::foreign_weights
