// The rules of the section `model`: every family, from every layer.

#include "models/rules.h"
#include "config/load_recipe.h"
#include "models/resolve.h"

#include "core/error.h"
#include "models/changed_numbers.h"
#include "models/teacher.h"
#include "support/messages.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace vitrain::models {
namespace {

using testing::AllOf;
using testing::DoubleEq;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

// "key: text" of every rule that a recipe of such -set breaks. The data: 10
// classes of images.
std::vector<std::string> broken(
    const std::vector<std::string>& sets,
    const DataShape& data = {.outputs = 10}) {
  config::LoadRequest request;
  for (const std::string& set : sets) {
    const std::size_t equals = set.find('=');
    request.overrides.push_back(
        {"model." + set.substr(0, equals), set.substr(equals + 1), "-set"});
  }
  std::vector<std::string> texts;
  for (const config::Finding& finding :
       check(config::load(request).recipe.model, data)) {
    texts.push_back(finding.key + ": " + finding.text);
  }
  return texts;
}

// The averages are those of adapt_to_chs() in timm/data/loader.py (1.0.31).
TEST(Rules, GreyImagesHaveTheAverageOfColours) {
  config::Recipe recipe;
  recipe.model.name = "resnet18";
  std::vector<std::string> notes;
  average_colours(recipe, notes);
  EXPECT_THAT(notes, IsEmpty());
  EXPECT_EQ(recipe.data.preprocess.mean[0], 0.485);
  recipe.model.in_chans = 1;
  average_colours(recipe, notes);
  EXPECT_THAT(
      notes,
      ElementsAre(AllOf(HasSubstr("mean 0.449"), HasSubstr("std 0.226"))));
  EXPECT_THAT(recipe.data.preprocess.mean, testing::Each(DoubleEq(0.449)));
  EXPECT_THAT(recipe.data.preprocess.std, testing::Each(DoubleEq(0.226)));
  average_colours(recipe, notes);
  EXPECT_EQ(notes.size(), 1U);
}

TEST(Rules, OfOtherChannelsThanColoursAndGrey) {
  config::Recipe recipe;
  recipe.model.name = "resnet18";
  recipe.model.in_chans = 5;
  recipe.data.augment.grayscale = 0.1;
  recipe.data.augment.auto_augment = "rand-m9";
  recipe.data.train.kind = SourceKind::kFolder;
  recipe.data.eval.kind = SourceKind::kCifar;
  const auto findings = [&](bool training) {
    std::vector<std::string> texts;
    for (const config::Finding& finding : check_channels(recipe, training)) {
      texts.push_back(finding.key + ": " + finding.text);
    }
    return texts;
  };
  const auto evaluation = AllOf(
      HasSubstr("model.in_chans: in_chans is 5"),
      HasSubstr("data.eval.kind cifar have colours"));
  EXPECT_THAT(findings(false), ElementsAre(evaluation));
  EXPECT_THAT(
      findings(true),
      ElementsAre(
          evaluation,
          HasSubstr("data.augment.auto_augment: is for colours"),
          HasSubstr("data.augment.grayscale: is for colours")));
  recipe.data.eval.kind = SourceKind::kTar;
  recipe.data.augment = {};
  EXPECT_THAT(findings(true), IsEmpty());
  recipe.data.augment.stages = {"{from_epoch: 2, auto_augment: rand-m5}"};
  recipe.run.epochs = 3;
  EXPECT_THAT(
      findings(true),
      ElementsAre(HasSubstr("from epoch 2: data.augment.auto_augment is for "
                            "colours")));
  for (const std::int64_t channels : {1, 3}) {
    recipe.model.in_chans = channels;
    EXPECT_THAT(findings(true), IsEmpty());
  }
}

TEST(Rules, TrainingSizesAreForWeightsThatFitAny) {
  const auto findings = [](const char* name, std::int64_t size) {
    config::Recipe recipe;
    recipe.model.name = name;
    recipe.data.augment.image_size = size;
    std::vector<std::string> texts;
    for (const config::Finding& finding : check_training_size(recipe)) {
      texts.push_back(finding.key + ": " + finding.text);
    }
    return texts;
  };
  EXPECT_THAT(findings("resnet50", 160), IsEmpty());
  EXPECT_THAT(findings("convnext_tiny", 176), IsEmpty());
  EXPECT_THAT(findings("swin_tiny_patch4_window7_224", 224), IsEmpty());
  EXPECT_THAT(
      findings("swin_tiny_patch4_window7_224", 192),
      ElementsAre(HasSubstr("data.augment.image_size: is 192, but "
                            "swin_tiny_patch4_window7_224 takes images of "
                            "model.image_size only")));
  EXPECT_THAT(findings("vit_small_patch16_224", 192), IsEmpty());
  EXPECT_THAT(
      findings("vit_small_patch16_224", 200),
      ElementsAre(AllOf(
          HasSubstr("data.augment.image_size: "),
          HasSubstr("not a multiple of the patch size 16"))));
  EXPECT_THAT(
      findings("convnext_tiny", 16),
      ElementsAre(AllOf(
          HasSubstr("data.augment.image_size: "),
          HasSubstr("needs at least 32 pixels"))));
}

TEST(Rules, ClassesHaveAWeightEach) {
  config::Recipe recipe;
  recipe.train.class_weights = {1.0, 2.0};
  const auto findings = check_class_weights(recipe, {.outputs = 10});
  ASSERT_THAT(findings, SizeIs(1));
  EXPECT_EQ(findings[0].key, "train.class_weights");
  expect_message(findings[0].text, {"2", "10"});
  EXPECT_THAT(check_class_weights(recipe, {.outputs = kNotKnown}), IsEmpty());
  EXPECT_THAT(check_class_weights(recipe, {.outputs = 2}), IsEmpty());
  recipe.model.num_classes = 3;
  EXPECT_THAT(check_class_weights(recipe, {.outputs = 2}), SizeIs(1));
}

TEST(Rules, OutputsWithoutSamplesAreTold) {
  config::ModelConfig model;
  EXPECT_EQ(unused_outputs(model, {.outputs = 5}), "");
  model.num_classes = 5;
  EXPECT_EQ(unused_outputs(model, {.outputs = 5}), "");
  EXPECT_EQ(unused_outputs(model, {.outputs = kNotKnown}), "");
  EXPECT_EQ(unused_outputs(model, {.outputs = 1, .features = 3}), "");
  model.num_classes = 9;
  expect_message(
      unused_outputs(model, {.outputs = 5}),
      {"model.num_classes", "9", "5", "4"});
}

TEST(Rules, NumbersThatDifferFromTheNameAreNamed) {
  const auto changed = [](config::ModelConfig model, const char* name) {
    model.name = name;
    return changed_numbers(model);
  };
  EXPECT_THAT(changed({}, "vit_tiny_patch16_224"), IsEmpty());
  EXPECT_THAT(
      changed(
          {.num_classes = 10, .image_size = 32, .depth = 6, .drop_path = 0.1},
          "vit_tiny_patch16_224"),
      ElementsAre("depth 6"));
  EXPECT_THAT(
      changed(
          {.patch_size = 4,
           .embed_dim = 96,
           .num_heads = 6,
           .mlp_ratio = 2.5,
           .global_pool = config::GlobalPool::kAvg},
          "vit_tiny_patch16_224"),
      ElementsAre(
          "patch_size 4",
          "embed_dim 96",
          "num_heads 6",
          "mlp_ratio 2.5",
          "global_pool avg"));
  // Values that the name implies, too.
  EXPECT_THAT(
      changed(
          {.patch_size = 16,
           .embed_dim = 192,
           .depth = 12,
           .num_heads = 3,
           .mlp_ratio = 4.0},
          "vit_tiny_patch16_224"),
      IsEmpty());
  EXPECT_THAT(changed({.depth = 3}, "mlp"), ElementsAre("depth 3"));
  EXPECT_THAT(
      changed({.decoder_depth = 2}, "mae_vit_base_patch16"),
      ElementsAre("decoder_depth 2"));
  EXPECT_THAT(changed({}, "mae_vit_base_patch16"), IsEmpty());
  EXPECT_THAT(changed({.depth = 3}, "resnet18"), IsEmpty());
  EXPECT_THAT(changed({.depth = 3}, "no_such_network"), IsEmpty());
}

TEST(Rules, TrainingSizesOfStagesToo) {
  config::Recipe recipe;
  recipe.data.augment.stages = {"{from_epoch: 4, image_size: 192}"};
  recipe.model.name = "resnet50";
  EXPECT_THAT(check_training_size(recipe), IsEmpty());
  recipe.model.name = "swin_tiny_patch4_window7_224";
  const auto findings = check_training_size(recipe);
  ASSERT_EQ(findings.size(), 1u);
  EXPECT_EQ(findings[0].key, "data.augment.stages");
  expect_message(findings[0].text, {"4", "data.augment.image_size", "192"});
}

TEST(Stages, TheWidestHasTheLargestImages) {
  config::Recipe recipe;
  recipe.model.name = "resnet50"; // 224 px
  recipe.data.augment.image_size = 128;
  recipe.data.augment.stages = {
      "{from_epoch: 2, image_size: auto, mixup: 0.5}",
      "{from_epoch: 3, image_size: 192, mixup: 0}"};
  const config::Recipe widest = widest_stage(recipe);
  EXPECT_EQ(widest.data.augment.image_size, std::nullopt);
  EXPECT_EQ(widest.data.augment.mix.mixup, 0.5);
  EXPECT_THAT(widest.data.augment.stages, IsEmpty());
  recipe.model.image_size = 160; // of evaluation, and of the second stage
  EXPECT_EQ(widest_stage(recipe).data.augment.image_size, ImageSize(192));
  recipe.data.batch_size = 8;
  recipe.data.augment.stages[1] =
      "{from_epoch: 3, image_size: 192, batch_size: 5}"; // 5 x 192^2 < 8 x
                                                         // 160^2
  EXPECT_EQ(widest_stage(recipe).data.augment.image_size, std::nullopt);
}

TEST(Rules, TeachersOfAHeadNeedOne) {
  config::Recipe recipe;
  recipe.train.distill.type = config::DistillKind::kHard;
  recipe.train.distill.head = config::DistillHead::kToken;
  for (const char* name :
       {"deit_tiny_distilled_patch16_224",
        "pit_ti_distilled_224",
        "levit_128s"}) {
    recipe.model.name = name;
    EXPECT_THAT(check_loss(recipe), IsEmpty()) << name;
  }
  for (const char* name :
       {"deit_tiny_patch16_224", "pit_ti_224", "levit_256d", "resnet18"}) {
    recipe.model.name = name;
    const auto findings = check_loss(recipe);
    ASSERT_EQ(findings.size(), 1u) << name;
    EXPECT_EQ(findings[0].key, "train.distill.head");
    EXPECT_THAT(findings[0].text, HasSubstr(name));
  }
}

// It said that a distilled DeiT has no second head.
TEST(Rules, AHeadForATeacherNeedsATeacher) {
  config::Recipe recipe;
  recipe.model.name = "deit_tiny_distilled_patch16_224";
  recipe.train.distill.head = config::DistillHead::kToken;
  const auto findings = check_loss(recipe);
  ASSERT_EQ(findings.size(), 1u);
  EXPECT_EQ(findings[0].key, "train.distill.head");
  expect_message(findings[0].text, {"train.distill.type"});
}

// They named keys of the student's network.
TEST(Teachers, AreRefusedByTheirOwnKeys) {
  config::Recipe recipe;
  recipe.train.distill.type = config::DistillKind::kHard;
  recipe.train.distill.teacher = "resnet18";
  EXPECT_THAT(check_teacher(recipe), IsEmpty());
  recipe.train.distill.teacher = "nosuch";
  const auto findings = check_teacher(recipe);
  ASSERT_THAT(findings, SizeIs(1));
  EXPECT_EQ(findings[0].key, "train.distill.teacher");
  expect_message(findings[0].text, {"'nosuch'"});

  ModelSpec student;
  student.num_classes = 10;
  student.image_size = 12;
  const auto refusal = [&](const char* name) -> std::string {
    recipe.train.distill.teacher = name;
    try {
      resolve_teacher(recipe, student);
      return "";
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ExitCode::kUsage);
      return error.what();
    }
  };
  expect_message(refusal("nosuch"), {"train.distill.teacher"});
  expect_message(
      refusal("vit_tiny_patch16_224"),
      {"train.distill.teacher", "vit_tiny_patch16_224"});
  student.image_size = 40;
  EXPECT_EQ(refusal("resnet18"), "");
  recipe.data.augment.stages = {"{from_epoch: 2, image_size: 80}"};
  EXPECT_EQ(resolve_teacher(recipe, student).image_size, ImageSize(80));
}

TEST(Rules, OfEveryFamily) {
  for (const char* name :
       {"name=vit_tiny_patch4_32",
        "name=resnet18",
        "name=mnist_convnet",
        "name=linear",
        "name=mlp"}) {
    EXPECT_THAT(broken({name}), IsEmpty()) << name;
    EXPECT_THAT(
        broken({name, "in_chans=2", "num_classes=9"}),
        ElementsAre(
            HasSubstr("model.num_classes: num_classes 9 is less than the 10")))
        << name;
  }
  const std::vector<std::string> options{
      "patch_size=4",
      "embed_dim=64",
      "depth=2",
      "num_heads=2",
      "mlp_ratio=2",
      "drop_path=0.1",
      "dropout=0.1",
      "attention_dropout=0.1"};
  for (const auto& [name, refused] : std::map<std::string, std::size_t>{
           {"vit_tiny_patch4_32", 0},
           {"resnet50", 7},
           {"mnist_convnet", 8},
           {"linear", 8},
           {"mlp", 6}}) {
    std::vector<std::string> sets = options;
    sets.push_back("name=" + name);
    EXPECT_THAT(broken(sets), SizeIs(refused)) << name;
  }
}

TEST(Rules, OfNumbersStandAtTheKeyThatWasSet) {
  const std::string vit = "name=vit_tiny_patch4_32";
  EXPECT_THAT(
      broken({vit, "image_size=30"}),
      ElementsAre(HasSubstr("model.image_size: image_size 30 is not a multiple "
                            "of the patch size 4")));
  EXPECT_THAT(
      broken({vit, "patch_size=5"}),
      ElementsAre(HasSubstr("model.patch_size: image_size 32")));
  EXPECT_THAT(
      broken({"name=vit_tiny_patch5_32"}),
      ElementsAre(HasSubstr("model.name: image_size 32")));
  EXPECT_THAT(
      broken({vit, "num_heads=5"}),
      ElementsAre(HasSubstr("model.num_heads: embed_dim 192 is not a multiple "
                            "of num_heads 5")));
  EXPECT_THAT(
      broken({vit, "embed_dim=200"}),
      ElementsAre(HasSubstr("model.embed_dim: embed_dim 200")));
  EXPECT_THAT(
      broken({vit, "num_heads=5", "image_size=30", "mlp_ratio=1e-9"}),
      SizeIs(3));
  EXPECT_THAT(
      broken({"name=mnist_convnet", "image_size=15"}),
      ElementsAre(HasSubstr("model.image_size: image_size 15 is too small")));
}

TEST(Rules, OfMaskedAutoencoders) {
  const std::string mae = "name=mae_vit_base_patch16";
  EXPECT_THAT(broken({mae}), IsEmpty());
  EXPECT_THAT(
      broken({mae, "image_size=230"}),
      ElementsAre(HasSubstr("model.image_size: image_size 230 is not a "
                            "multiple of the patch size 16")));
  EXPECT_THAT(
      broken(
          {mae,
           "image_size=32",
           "patch_size=8",
           "embed_dim=16",
           "depth=1",
           "num_heads=2",
           "decoder_embed_dim=8",
           "decoder_depth=1",
           "decoder_num_heads=2",
           "mask_ratio=0.5",
           "norm_pix_loss=false"}),
      IsEmpty());
  EXPECT_THAT(
      broken({mae, "num_classes=10", "head_init=fresh"}),
      ElementsAre(
          HasSubstr("model.num_classes: mae_vit_base_patch16 has no classif"),
          HasSubstr("model.head_init: mae_vit_base_patch16 has no classif")));
  EXPECT_THAT(
      broken({mae, "drop_path=0.1", "global_pool=avg"}),
      ElementsAre(
          HasSubstr("model.drop_path: mae_vit_base_patch16 is of the family"),
          HasSubstr("model.global_pool:")));
  EXPECT_THAT(
      broken({mae, "embed_dim=42", "num_heads=3"}),
      ElementsAre(HasSubstr("model.embed_dim: 42 is not a multiple of 4")));
  EXPECT_THAT(
      broken({mae, "embed_dim=24", "num_heads=3", "decoder_embed_dim=30"}),
      ElementsAre(
          HasSubstr("model.decoder_embed_dim: 30 is not a multiple of 4"),
          HasSubstr("30 is not a multiple of decoder_num_heads 16")));
  EXPECT_THAT(
      broken({mae, "mask_ratio=0.999"}),
      ElementsAre(HasSubstr("model.mask_ratio: 0.999 leaves 0 of the 196")));
  EXPECT_THAT(
      broken({"name=vit_base_patch16_224", "mask_ratio=0.5"}),
      ElementsAre(HasSubstr("model.mask_ratio: vit_base_patch16_224 is of")));
}

TEST(Rules, OfLossesAndNetworks) {
  const auto problem = [](const char* name, config::LossKind loss) {
    config::Recipe recipe;
    recipe.model.name = name;
    recipe.train.loss = loss;
    const auto findings = check_loss(recipe);
    return findings.empty() ? "" : findings[0].key + ": " + findings[0].text;
  };
  using enum config::LossKind;
  EXPECT_EQ(problem("mae_vit_base_patch16", kPixels), "");
  EXPECT_EQ(problem("vit_base_patch16_224", kCrossEntropy), "");
  expect_message(
      problem("mae_vit_base_patch16", kCrossEntropy),
      {"train.loss", "cross_entropy", "mae_vit_base_patch16"});
  expect_message(
      problem("vit_base_patch16_224", kPixels),
      {"train.loss",
       "model.name",
       "vit_base_patch16_224",
       "cross_entropy",
       "mae_vit"});
}

TEST(Rules, OfWhatAClassifierReads) {
  const std::string vit = "name=vit_base_patch16_224";
  EXPECT_THAT(broken({vit, "global_pool=avg"}), IsEmpty());
  EXPECT_THAT(broken({vit, "global_pool=token"}), IsEmpty());
  EXPECT_THAT(
      broken({"name=vit_base_patch16_gap_224", "global_pool=avg"}), IsEmpty());
  EXPECT_THAT(
      broken({"name=vit_base_patch16_gap_224", "global_pool=token"}),
      ElementsAre(HasSubstr("model.global_pool: token is not for vit_base_patch"
                            "16_gap_224, whose classifier reads the mean")));
  EXPECT_THAT(
      broken({"name=deit_tiny_distilled_patch16_224", "global_pool=avg"}),
      SizeIs(1));
  EXPECT_THAT(
      broken({"name=vit_base_patch16_siglip_224", "global_pool=avg"}),
      ElementsAre(HasSubstr("reads a learned query")));
}

TEST(Rules, OfClassesWaitForTheData) {
  const DataShape unknown{.outputs = kNotKnown};
  EXPECT_THAT(broken({"name=resnet18", "num_classes=1"}, unknown), IsEmpty());
  const DataShape vectors{.outputs = kNotKnown, .features = kNotKnown};
  EXPECT_THAT(
      broken({"name=resnet18", "image_size=32"}, vectors),
      ElementsAre(
          HasSubstr("model.name: resnet18 takes images, and the data are "
                    "vectors; use"),
          HasSubstr("model.image_size: the data are vectors")));
  EXPECT_THAT(
      broken({"name=mlp", "num_classes=3"}, {.outputs = 2, .features = 5}),
      ElementsAre(HasSubstr("is not the number of targets of the data, 2")));
}

// A recipe of a ViT, and the notes if a higher layer selects another model.
struct Chosen {
  config::PartialRecipe reading;
  std::vector<std::string> notes;
};

Chosen choose(const std::vector<std::string>& sets) {
  Chosen chosen;
  config::ModelConfig& model = chosen.reading.recipe.model;
  model.name = "vit_tiny_patch4_32";
  model.embed_dim = 96;
  model.depth = 3;
  model.drop_path = 0.1;
  model.image_size = 32;
  chosen.reading.files = {{"base.yaml", "mlp"}, {"a.yaml", model.name}};
  for (const char* key :
       {"name", "embed_dim", "depth", "drop_path", "image_size"}) {
    chosen.reading.origins[std::string("model.") + key] = {"a.yaml", 2, 5};
  }
  for (const std::string& set : sets) {
    const std::size_t equals = set.find('=');
    const std::string key = set.substr(0, equals);
    chosen.reading.origins["model." + key] = {
        "-set #1", 0, 0, config::Origin::kSet};
    if (key == "name") {
      model.name = set.substr(equals + 1);
    } else {
      model.depth = std::stoll(set.substr(equals + 1));
    }
  }
  chosen.notes = leave_other_families(chosen.reading);
  return chosen;
}

TEST(Rules, AnotherFamilyLeavesTheKeysOfTheFirst) {
  const Chosen resnet = choose({"name=resnet18"});
  EXPECT_THAT(
      resnet.notes,
      ElementsAre(
          "a.yaml:2:5: model.embed_dim: has no effect: it was meant for "
          "vit_tiny_patch4_32, and model.name is resnet18 (-set #1)",
          HasSubstr("model.depth: has no effect"),
          HasSubstr("model.drop_path: has no effect")));
  const config::ModelConfig& model = resnet.reading.recipe.model;
  EXPECT_THAT(check(model, {.outputs = 10}), IsEmpty());
  EXPECT_EQ(model.image_size, 32); // every family has one
  EXPECT_FALSE(resnet.reading.origins.contains("model.depth"));
  // The layers of an mlp are no blocks.
  EXPECT_EQ(choose({"name=mlp"}).reading.recipe.model.depth, std::nullopt);
}

TEST(Rules, WhatStandsBesideTheNameIsKept) {
  EXPECT_THAT(choose({}).notes, IsEmpty());
  EXPECT_THAT(choose({"name=vit_small_patch4_32"}).notes, IsEmpty());
  const Chosen asked = choose({"name=resnet18", "depth=5"});
  EXPECT_THAT(asked.notes, SizeIs(2));
  const auto findings = check(asked.reading.recipe.model, {.outputs = 10});
  ASSERT_THAT(findings, SizeIs(1));
  EXPECT_EQ(findings[0].key, "model.depth");
  EXPECT_EQ(choose({"name=mlp", "depth=5"}).reading.recipe.model.depth, 5);
}

} // namespace
} // namespace vitrain::models
