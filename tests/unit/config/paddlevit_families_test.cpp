#include "config/paddlevit/paddle_family.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "config/load_recipe.h"
#include "config/paddlevit/paddlevit_keys.h"
#include "core/text.h"
#include "support.h"
#include "support/messages.h"

// The table of PaddleViT's families, and files as they have them.
namespace vitrain::config {
namespace {

using paddlevit::FamilyKey;
using paddlevit::Network;
using paddlevit::PaddleFamily;
using ::testing::Contains;
using ::testing::HasSubstr;

bool names_network(const FamilyKey& key) {
  return key.role == FamilyKey::Role::kNumber ||
      key.role == FamilyKey::Role::kStart;
}

TEST(PaddleVitFamilies, RowsAreWellFormed) {
  std::set<std::string> types;
  for (const PaddleFamily& family : paddlevit::families()) {
    for (const std::string& type : split(family.types, ' ')) {
      EXPECT_TRUE(types.insert(type).second) << type;
      EXPECT_EQ(paddlevit::find_family(type), &family);
    }
    const auto numbers = std::ranges::count_if(family.keys, names_network);
    for (const Network& network : family.networks) {
      const auto values = network.numbers.empty() ? std::vector<std::string>{}
                                                  : split(network.numbers, ' ');
      ASSERT_EQ(std::ssize(values), numbers) << family.name << network.name;
      // Its own numbers find it.
      paddlevit::OwnValues own = paddlevit::own_defaults(family);
      auto value = values.begin();
      for (const FamilyKey& key : family.keys) {
        if (names_network(key)) {
          own[key.key] = paddlevit::canonical(*value++);
        }
      }
      const bool two = network.name.empty();
      EXPECT_EQ(
          paddlevit::find_network(family, own, network.image_size, two),
          &network)
          << family.name << " " << network.numbers;
    }
  }
  EXPECT_EQ(paddlevit::find_family("ViT"), paddlevit::find_family("vit"));
  EXPECT_EQ(paddlevit::find_family("alexnet"), nullptr);
}

TEST(PaddleVitFamilies, ValuesHaveOneForm) {
  EXPECT_EQ(paddlevit::canonical("[ 8.0, 4, 1e-5 ]"), "[8,4,1e-05]");
  EXPECT_EQ(paddlevit::canonical("0.10"), "0.1");
  EXPECT_EQ(paddlevit::canonical("GELU"), "GELU");
}

class PaddleVitFiles : public ::testing::Test {
 protected:
  Loaded load_text(
      const std::string& text,
      RecipeUse use = RecipeUse::kTraining) {
    return load({.file = folder_.write("a.yaml", text), .use = use});
  }
  std::string refusal(const std::string& text) {
    return usage_error([&] { load_text(text); });
  }

  TempFolder folder_;
};

// A file of each family and the network that it describes.
struct File {
  const char* text;
  const char* name;
  std::int64_t image_size = 224;
};

const auto kFiles = std::to_array<File>({
    {"MODEL: {TYPE: ViT, PATCH_SIZE: 32}\nDATA: {IMAGE_SIZE: 384}\n",
     "vit_base_patch32_384",
     384},
    {"MODEL: {TYPE: deit, EMBED_DIM: 192, NUM_HEADS: 3}\n",
     "deit_tiny_distilled_patch16_224"},
    {"MODEL: {TYPE: MAE, TRANS: {ENCODER: {EMBED_DIM: 1024, DEPTH: 24, "
     "NUM_HEADS: 16}}}\n",
     "vit_large_patch16_224"},
    {"MODEL: {TYPE: cait, EMBED_DIM: 384, DEPTH: 24, NUM_HEADS: 8}\nDATA: "
     "{IMAGE_SIZE: 384}\n",
     "cait_s24_384",
     384},
    {"MODEL: {TYPE: BEiT, EMBED_DIM: 1024, DEPTH: 24, NUM_HEADS: 16, "
     "INIT_VALUES: 1e-5}\nDATA: {IMAGE_SIZE: 512}\n",
     "beit_large_patch16_512",
     512},
    {"MODEL: {TYPE: xcit, PATCH_SIZE: 8, EMBED_DIM: 192, TOKENS_NORM: True}\n",
     "xcit_tiny_12_p8_224"},
    {"MODEL: {TYPE: CrossViT, EMBED_DIM: [128, 256], NUM_HEADS: [4, 4], DEPTH: "
     "[[1, 3, 0], [1, 3, 0], [1, 3, 0]], MLP_RATIO: [3., 3., 1.], MULTI_CONV: "
     "True}\n",
     "crossvit_9_dagger_240",
     240},
    {"MODEL: {TYPE: hvt, POOL_BLOCK_WIDTH: 3, POOL_STRIDE: 2}\n",
     "scale_hvt_ti_4_patch16_224"},
    {"MODEL: {TYPE: swin, PATCH_SIZE: 4, WINDOW_SIZE: 12, EMBED_DIM: 128, "
     "STAGE_DEPTHS: [2, 2, 18, 2], NUM_HEADS: [4, 8, 16, 32]}\nDATA: "
     "{IMAGE_SIZE: 384}\n",
     "swin_base_patch4_window12_384",
     384},
    {"MODEL: {TYPE: PVTv2, EMBED_DIM: [64, 128, 320, 512], STAGE_DEPTH: [3, 4, "
     "6, 3], LINEAR: True}\n",
     "pvt_v2_b2_li"},
    {"MODEL: {TYPE: PVTv2, LINEAR: False}\n", "pvt_v2_b0"},
    {"MODEL: {TYPE: PiT, PATCH_SIZE: 16, STRIDE: 8, BASE_DIMS: [48, 48, 48], "
     "NUM_HEADS: [2, 4, 8], DEPTH: [2, 6, 4]}\n",
     "pit_xs_224"},
    {"MODEL: {TYPE: PiT}\nTRAIN: {DISTILLATION_TYPE: hard}\n",
     "pit_b_distilled_224"},
    {"MODEL: {TYPE: coat_lite, EMBED_DIMS: [64, 128, 256, 320], "
     "PARALLEL_DEPTH: 0, MLP_RATIOS: [8, 8, 4, 4]}\n",
     "coat_lite_tiny"},
    {"MODEL: {TYPE: levit, KEY_DIM: 32, EMBED_DIM: [192, 288, 384], NUM_HEADS: "
     "[3, 5, 6], DEPTH: [4, 4, 4]}\n",
     "levit_192"},
    {"MODEL: {TYPE: volo}\nDATA: {IMAGE_SIZE: 448}\n", "volo_d5_448", 448},
    {"MODEL: {TYPE: Mixer, MIXER: {EMBED_DIM: 1024, DEPTH: 24}}\n",
     "mixer_l16_224"},
    {"MODEL: {TYPE: ResMLP, MIXER: {PATCH_SIZE: 8, EMBED_DIM: 768, DEPTH: 24, "
     "MLP_RATIO: 4.0}}\n",
     "resmlp_big_24_224"},
    {"MODEL: {TYPE: GatedMLP, MIXER: {EMBED_DIM: 256, DEPTH: 30}}\n",
     "gmlp_s16_224"},
    {"MODEL: {TYPE: poolformer, LAYERS: '(4, 4, 12, 4)'}\n", "poolformer_s24"},
    {"MODEL: {TYPE: convmixer, CNN: {DIM: 768, DEPTH: 32, KERNEL_SIZE: 7, "
     "ACTIVATION: 'ReLU'}}\n",
     "convmixer_768_32"},
    {"MODEL: {TYPE: convnext, DEPTHS: '[3, 3, 27, 3]', DROPPATH: 0.4}\n",
     "convnext_small"},
    {"MODEL: {TYPE: MobileOne, EXPANSIONS: [1.0, 3.0, 3.5, 3.5, 4.0], "
     "NUM_BRANCHES: [1, 1, 1, 1, 1], USE_SE: True}\nDATA: {IMAGE_SIZE: 256}\n",
     "mobileone_s4",
     256},
    {"MODEL: {TYPE: halo, ACT: silu, HIDDEN_CHANNEL: None}\n",
     "halonet50ts",
     256},
});

TEST_F(PaddleVitFiles, NumbersAreNetworks) {
  for (const File& file : kFiles) {
    Loaded loaded;
    const std::string message =
        usage_error([&] { loaded = load_text(file.text); });
    if (message.empty()) {
      EXPECT_EQ(loaded.recipe.model.name, file.name);
      EXPECT_EQ(loaded.recipe.model.image_size, file.image_size);
    } else { // a family that is not available
      expect_message(message, {});
      expect_message(message, {"1"});
    }
  }
}

// MODEL.TYPE alone gives the family's defaults or a refusal in one line.
TEST_F(PaddleVitFiles, TypesAloneAreReadOrRefused) {
  for (const PaddleFamily& family : paddlevit::families()) {
    const std::string type = split(family.types, ' ').front();
    Loaded loaded;
    const std::string message = usage_error(
        [&] { loaded = load_text("MODEL: {TYPE: " + type + "}\n"); });
    if (!message.empty()) {
      EXPECT_THAT(message, HasSubstr("MODEL.TYPE: ")) << type;
      EXPECT_THAT(message, HasSubstr("1 problem found")) << type;
      EXPECT_THAT(message, HasSubstr(family.name)) << type;
    }
  }
}

TEST_F(PaddleVitFiles, OtherNumbersAreRefusedWithTheNearest) {
  expect_message(
      refusal("MODEL: {TYPE: Mixer, MIXER: {EMBED_DIM: 1000}}\n"),
      {"a.yaml:1:15",
       "MODEL.TYPE",
       "mixer_b16_224",
       "MIXER.EMBED_DIM",
       "768",
       "1000",
       "mixer_l16_224",
       "1024",
       "MIXER.DEPTH",
       "12"});
  expect_message(
      refusal("MODEL: {TYPE: swin, PATCH_SIZE: 4, APE: True}\n"),
      {"MODEL.APE"});
  expect_message(
      refusal("MODEL: {TYPE: swin, PATCH_SIZE: 4, WINDOW: 7}\n"),
      {"a.yaml:1:36", "MODEL.WINDOW"});
  expect_message(
      refusal("MODEL: {TYPE: swin, PATCH_SIZE: 4, WINDOW_SIZES: 7}\n"),
      {"MODEL.WINDOW_SIZE"});
  expect_message(
      refusal("MODEL: {TYPE: swin, PATCH_SIZE: 4, DEPTHS: {a: 7}}\n"),
      {"MODEL.DEPTHS"});
}

TEST_F(PaddleVitFiles, MaePretrainsWithoutLabels) {
  const Recipe mae =
      load_text("MODEL: {TYPE: MAE, MAE_PRETRAIN: True, TRANS: {MASK_RATIO: "
                "0.5, DECODER: {DEPTH: 1}}}\nTRAIN: {NORMALIZE_TARGET: False, "
                "CUTMIX_MINMAX: [0.2, 0.8]}\n")
          .recipe;
  EXPECT_EQ(mae.model.name, "mae_vit_base_patch16");
  EXPECT_EQ(mae.model.decoder_embed_dim, 512);
  EXPECT_EQ(mae.model.decoder_depth, 1);
  EXPECT_EQ(mae.model.decoder_num_heads, 8);
  EXPECT_EQ(mae.model.mask_ratio, 0.5);
  EXPECT_FALSE(mae.model.norm_pix_loss);
  EXPECT_EQ(mae.train.loss, LossKind::kPixels);
  EXPECT_EQ(mae.train.label_smoothing, 0.0);
  EXPECT_FALSE(mae.data.augment.mix.wanted());
  EXPECT_EQ(mae.optim.betas.value()[1], 0.95);
}

// Before 2022 a ViT's numbers stood below TRANS, and first under other names.
TEST_F(PaddleVitFiles, OlderFilesAreRead) {
  const Recipe older =
      load_text("DATA: {IMAGE_SIZE: 224, CROP_PCT: 0.875}\n"
                "MODEL:\n"
                "  TYPE: ViT\n"
                "  NAME: vit_large_patch16_224\n"
                "  TRANS: {PATCH_SIZE: 16, EMBED_DIM: 1024, MLP_RATIO: 4.0, "
                "DEPTH: 24, NUM_HEADS: 16, QKV_BIAS: true}\n"
                "TRAIN: {NUM_EPOCHS: 300, WEIGHT_DECAY: 0.3, LR_SCHEDULER: "
                "{NAME: warmupcosine}, OPTIMIZER: {MOMENTUM: 0.9}}\n"
                "TAG: default\n")
          .recipe;
  EXPECT_EQ(older.model.name, "vit_large_patch16_224");
  EXPECT_EQ(older.model.dropout, 0.1); // its default then
  EXPECT_EQ(older.schedule.warmup.text(), "3ep");
  EXPECT_EQ(older.schedule.min_lr, 5e-4);
  const ModelConfig first =
      load_text("MODEL: {TYPE: ViT, TRANS: {PATCH_SIZE: 16, HIDDEN_SIZE: 768, "
                "MLP_DIM: 1536, NUM_LAYERS: 6, NUM_HEADS: 12}}\n")
          .recipe.model;
  EXPECT_EQ(first.embed_dim, 768);
  EXPECT_EQ(first.depth, 6);
  EXPECT_EQ(first.mlp_ratio, 2.0);
}

TEST_F(PaddleVitFiles, OlderWidthsMayStandInTwoFiles) {
  const auto ratio = [&](const char* base, const char* own) {
    folder_.write(
        "b.yaml", fmt::format("MODEL: {{TYPE: ViT, TRANS: {{{}}}}}\n", base));
    return load_text(
               fmt::format("BASE: [b.yaml]\nMODEL: {{TRANS: {{{}}}}}\n", own))
        .recipe.model.mlp_ratio;
  };
  EXPECT_EQ(ratio("HIDDEN_SIZE: 384, NUM_HEADS: 6", "MLP_DIM: 768"), 2.0);
  EXPECT_EQ(ratio("MLP_DIM: 768", "HIDDEN_SIZE: 384, NUM_HEADS: 6"), 2.0);
  EXPECT_EQ(
      ratio("HIDDEN_SIZE: 384, MLP_DIM: 768, NUM_HEADS: 6", "HIDDEN_SIZE: 192"),
      4.0);
}

TEST_F(PaddleVitFiles, DefaultsAreTheFamilys) {
  const Recipe swin = load_text("MODEL: {TYPE: swin, PATCH_SIZE: 4}\n").recipe;
  EXPECT_EQ(swin.model.drop_path, 0.1);
  EXPECT_EQ(swin.optim.clip_norm, 5.0);
  EXPECT_EQ(swin.schedule.min_lr, 5e-6);
  EXPECT_EQ(swin.data.preprocess.crop_pct, 0.9);
  EXPECT_EQ(swin.data.preprocess.mean[0], 0.485);
  const Recipe mixer = load_text("MODEL: {TYPE: mixer}\n").recipe;
  EXPECT_EQ(mixer.data.preprocess.mean[0], 0.5);
  EXPECT_EQ(mixer.optim.weight_decay, 0.1);
}

// A crop beyond the image, as VOLO-D5's at 512: black around it.
TEST_F(PaddleVitFiles, CropsAboveOneAreResizes) {
  const PreprocessConfig wide =
      load_text("DATA: {IMAGE_SIZE: 512, CROP_PCT: 1.15}\n")
          .recipe.data.preprocess;
  EXPECT_EQ(wide.crop_pct, 1.0);
  EXPECT_EQ(wide.resize, 445);
}

TEST_F(PaddleVitFiles, OriginsAreInTheFile) {
  const Loaded loaded =
      load_text("MODEL: {TYPE: Mixer, MIXER: {PATCH_SIZE: 16}}\n");
  expect_message(loaded.origins.at("model.name").text(), {"a.yaml:1:15"});
  EXPECT_THAT(
      loaded.notes,
      Contains(HasSubstr("MODEL.MIXER.PATCH_SIZE: has no effect")));
}

} // namespace
} // namespace vitrain::config
