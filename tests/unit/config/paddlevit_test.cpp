#include "config/paddlevit/paddlevit.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "config/command_line/arguments.h"
#include "config/load/loaded.h"
#include "config/load/writer.h"
#include "config/load_recipe.h"
#include "config/rules/plan.h"
#include "config/rules/validate.h"
#include "support.h"
#include "support/messages.h"

namespace vitrain::config {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::StartsWith;

const std::string kConfigs = VITRAIN_SOURCE_DIR "/configs/paddlevit/";

class PaddleVit : public ::testing::Test {
 protected:
  Loaded load_text(
      const std::string& text,
      std::vector<std::string> options = {}) {
    folder_.write("vit.yaml", text);
    options.insert(options.begin(), {"-cfg", shown()});
    return load(parse_arguments(options).load_request());
  }
  Recipe recipe(
      const std::string& text,
      const std::vector<std::string>& options = {}) {
    return load_text(text, options).recipe;
  }
  std::string refusal(
      const std::string& text,
      const std::vector<std::string>& options = {}) {
    return usage_error([&] { load_text(text, options); });
  }
  // "vit.yaml" as messages name it.
  std::string shown() const { return (folder_.path() / "vit.yaml").native(); }

  TempFolder folder_;
};

// The numbers of PaddleViT's own ViT-B/16 file.
TEST_F(PaddleVit, ReadsViTBase) {
  const Loaded loaded = load({.file = kConfigs + "vit_base_patch16_224.yaml"});
  const Recipe& r = loaded.recipe;
  EXPECT_EQ(r.model.name, "vit_base_patch16_224");
  EXPECT_EQ(r.model.image_size, 224);
  EXPECT_EQ(r.model.num_classes, 1000);
  EXPECT_EQ(r.model.dropout, 0.1);
  EXPECT_EQ(r.model.attention_dropout, 0.1);
  EXPECT_FALSE(r.model.embed_dim.has_value()); // the name says so
  EXPECT_EQ(r.data.train.kind, SourceKind::kList);
  EXPECT_EQ(r.data.train.path, "/dataset/imagenet/train_list.txt");
  EXPECT_EQ(r.data.eval.path, "/dataset/imagenet/val_list.txt");
  EXPECT_EQ(r.data.batch_size, 256);
  EXPECT_EQ(r.data.batch_mode, BatchMode::kPerDevice);
  EXPECT_EQ(r.data.sampler.policy, SamplerPolicy::kPaddle);
  EXPECT_EQ(r.data.preprocess.mean[0], 0.5);
  EXPECT_EQ(r.data.preprocess.crop_pct, 0.875);
  EXPECT_EQ(r.optim.lr, 3e-3);
  EXPECT_EQ(r.optim.weight_decay, 0.3);
  EXPECT_THAT(r.optim.no_decay, IsEmpty());
  EXPECT_EQ(r.optim.clip_norm, 1.0);
  EXPECT_EQ(r.optim.betas.value()[1], 0.999);
  EXPECT_EQ(r.schedule.unit, ScheduleUnit::kEpoch);
  EXPECT_EQ(r.schedule.warmup.text(), "32ep");
  EXPECT_EQ(r.schedule.warmup_lr, 1e-6);
  EXPECT_EQ(r.schedule.min_lr, 0.0);
  EXPECT_EQ(r.schedule.scale.rule, ScaleRule::kNone);
  EXPECT_EQ(r.train.precision, Precision::kFp32);
  EXPECT_EQ(r.train.label_smoothing, 0.0);
  EXPECT_EQ(r.run.epochs, 300);
  EXPECT_EQ(r.run.output, "./output");
  EXPECT_EQ(r.eval.every.text(), "1ep");
  EXPECT_EQ(r.checkpoint.every.text(), "1ep");
  EXPECT_EQ(r.log.every, 20);
}

// The recipe that is printed is the recipe: resolved, and read again.
TEST_F(PaddleVit, TheShippedFilesAreRecipes) {
  int files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(kConfigs)) {
    const Loaded loaded = load({.file = entry.path()});
    const Problems problems =
        validate(loaded.recipe, {.workers = 8}, loaded.origins);
    EXPECT_TRUE(problems.empty()) << entry.path() << problems.text();
    const Recipe again = from_yaml(to_yaml(loaded.recipe));
    EXPECT_EQ(to_yaml(again), to_yaml(loaded.recipe));
    EXPECT_EQ(recipe_hash(again), recipe_hash(loaded.recipe));
    // 4096 images a step, as in the paper: 312 steps an epoch.
    const Plan plan = make_plan(
        loaded.recipe,
        plan_batch(loaded.recipe, 16),
        {.train_samples = 1281167,
         .steps_per_epoch = 312,
         .eval_samples = 50000});
    EXPECT_EQ(plan.global_batch, 4096);
    EXPECT_EQ(plan.lr, loaded.recipe.optim.lr);
    EXPECT_EQ(plan.warmup_steps, 32 * 312); // ~10k steps
    ++files;
  }
  EXPECT_GE(files, 1);
}

// PaddleViT's own command lines: of its documentation and of its scripts.
TEST_F(PaddleVit, TakesItsCommandLines) {
  const std::string cfg = "-cfg=" + kConfigs + "vit_base_patch16_224.yaml";
  const std::vector<std::string> evaluation = {
      cfg,
      "-dataset=imagenet2012",
      "-batch_size=16",
      "-data_path=/dataset/imagenet",
      "-eval",
      "-pretrained=./vit_base_patch16_224.safetensors",
      "-amp"};
  const Arguments arguments = parse_arguments(evaluation);
  EXPECT_EQ(arguments.verb, Verb::kEval);
  EXPECT_THAT(arguments.notes, ElementsAre("-amp: has no effect with eval"));
  const Recipe evaluated = load(arguments.load_request()).recipe;
  EXPECT_EQ(evaluated.data.eval.path, "/dataset/imagenet/val_list.txt");
  EXPECT_EQ(evaluated.data.eval_batch_size, 16);
  EXPECT_EQ(evaluated.model.pretrained, "./vit_base_patch16_224.safetensors");
  EXPECT_EQ(evaluated.train.precision, Precision::kFp32);

  const std::vector<std::string> training = {
      cfg,
      "-dataset",
      "imagenet2012",
      "-batch_size",
      "128",
      "-image_size=384",
      "-accum_iter=2",
      "-data_path",
      "/data",
      "-output=./here",
      "-amp"};
  const Recipe trained = load(parse_arguments(training).load_request()).recipe;
  EXPECT_EQ(trained.data.batch_size, 128);
  EXPECT_EQ(trained.data.train.path, "/data/train_list.txt");
  EXPECT_EQ(trained.model.image_size, 384);
  EXPECT_EQ(trained.train.accumulate, 2);
  EXPECT_EQ(trained.run.output, "./here");
  EXPECT_EQ(trained.train.precision, Precision::kBf16);
}

TEST_F(PaddleVit, WeightsOfAnyProgramAreTaken) {
  for (const std::string file : {"./vit.pdparams", "./vit.pth", "./vit"}) {
    const Loaded loaded = load_text(
        "MODEL: {PRETRAINED: " + file + "}\n", {"-data_path", "d", "-eval"});
    EXPECT_EQ(loaded.recipe.model.pretrained, file);
    EXPECT_THAT(
        validate(loaded.recipe, {.training = false}, loaded.origins).text(),
        Not(HasSubstr("model.pretrained")));
  }
}

// YAML 1.1 and Python literals, as yacs reads them.
TEST_F(PaddleVit, ValuesAreRead) {
  const Recipe r = recipe("TRAIN:\n"
                          "    BASE_LR: 3e-3\n"
                          "    WARMUP_START_LR: '1e-6'\n"
                          "    GRAD_CLIP: None\n"
                          "    OPTIMIZER:\n"
                          "        BETAS: (0.8, 0.95)\n"
                          "        NAME: 'AdamW'\n"
                          "DATA:\n"
                          "    IMAGENET_MEAN: [0.1, 0.2, 0.3]\n"
                          "    BATCH_SIZE_EVAL: ~\n"
                          "AMP: yes\n");
  EXPECT_EQ(r.optim.lr, 3e-3);
  EXPECT_EQ(r.schedule.warmup_lr, 1e-6);
  EXPECT_FALSE(r.optim.clip_norm.has_value());
  EXPECT_EQ(r.optim.betas.value()[0], 0.8);
  EXPECT_EQ(r.data.preprocess.mean[2], 0.3);
  EXPECT_FALSE(r.data.eval_batch_size.has_value());
  EXPECT_EQ(r.train.precision, Precision::kBf16);
  EXPECT_EQ(
      recipe("TRAIN: {OPTIMIZER: {BETAS: '[0.7, 0.9]'}}\nAMP: True\n")
          .optim.betas.value()[0],
      0.7);
  EXPECT_FALSE(recipe("TRAIN: {GRAD_CLIP: 0}\n").optim.clip_norm.has_value());
}

TEST_F(PaddleVit, MistakesAreNamedLikeOurOwn) {
  EXPECT_EQ(
      refusal("DATA:\n"
              "    BATCH_SISE: 4\n"
              "    CROP_PCT: 2.5\n"
              "MODEL:\n"
              "    DEPTH: 12.0\n"
              "    QKV_BIAS: 1\n"
              "    TRANS: {WINDOW_SIZE: 7}\n"
              "TRAIN:\n"
              "    OPTIMIZER:\n"
              "        BETAS: (0.9,)\n"
              "SAVE_FREK: 1\n"),
      shown() +
          ":2:5: DATA.BATCH_SISE: unknown key. Did you mean "
          "DATA.BATCH_SIZE?\n" +
          shown() +
          ":3:15: DATA.CROP_PCT: expected number in (0, 2], got 2.5\n" +
          shown() +
          ":5:12: MODEL.DEPTH: expected integer in [1, 1024], got 12.0\n" +
          shown() + ":6:15: MODEL.QKV_BIAS: expected true or false, got 1\n" +
          shown() +
          ":7:13: MODEL.WINDOW_SIZE: unknown key; MODEL has: TYPE, NAME, "
          "RESUME, "
          "PRETRAINED, NUM_CLASSES, DROPOUT, ATTENTION_DROPOUT, DROPPATH, "
          "PATCH_SIZE, EMBED_DIM, NUM_HEADS, ATTN_HEAD_SIZE, DEPTH, "
          "MLP_RATIO, QKV_BIAS\n" +
          shown() +
          ":10:16: TRAIN.OPTIMIZER.BETAS: expected list of 2, each number in "
          "[0, 1), got a list of 1\n" +
          shown() +
          ":11:1: SAVE_FREK: unknown key. Did you mean SAVE_FREQ?\n"
          "7 problems found; nothing was started.");
  expect_message(refusal("DATA: {DATASET: cifar10}\n"), {"DATA.DATASET"});
}

TEST_F(PaddleVit, BasesAreReadFirst) {
  folder_.write("base/a.yaml", "BASE: ['']\nSEED: 1\nSAVE_FREQ: 3\n");
  folder_.write("base/b.yaml", "SEED: 2\n");
  const std::string text =
      "BASE: ['base/a.yaml', '', base/b.yaml]\nSAVE_FREQ: 5\n";
  const Loaded loaded = load_text(text);
  EXPECT_EQ(loaded.recipe.run.seed, 2);
  EXPECT_EQ(loaded.recipe.checkpoint.every.text(), "5ep");
  EXPECT_EQ(
      loaded.origins.at("run.seed").text(),
      (folder_.path() / "base/b.yaml").native() + ":1:7");
  for (const char* key :
       {"optim.lr",
        "schedule.unit",
        "schedule.scale.apply_to",
        "data.sampler.policy",
        "checkpoint.keep_last"}) {
    EXPECT_EQ(loaded.origins.at(key).text(), "PaddleViT's default") << key;
  }
  EXPECT_FALSE(loaded.origins.contains("optim.momentum")); // ours
  folder_.write("base/b.yaml", "BASE: ../vit.yaml\n");
  expect_message(refusal(text), {});
}

TEST_F(PaddleVit, DialectsDoNotMix) {
  folder_.write("base/own.yaml", "run: {seed: 1}\n");
  expect_message(refusal("BASE: base/own.yaml\nSEED: 2\n"), {"own.yaml:1:1"});
  EXPECT_THAT(
      refusal("run: {seed: 1}\nSEED: 2\n"),
      StartsWith(shown() + ":1:1: run: unknown key"));
}

TEST_F(PaddleVit, KeysWithoutEffectAreListed) {
  const Loaded loaded =
      load_text("MODEL:\n"
                "    NAME: vit_tiny_patch16_224\n"
                "    QKV_BIAS: true\n"
                "TRAIN:\n"
                "    TEACHER_MODEL: './regnety_160.pdparams'\n"
                "TAG: first\n");
  EXPECT_THAT(
      loaded.notes,
      ElementsAre(
          shown() +
              ": read as PaddleViT's (`vitrain config show` prints the recipe)",
          shown() +
              ":2:11: MODEL.NAME: has no effect: a label; the numbers below "
              "MODEL make the model",
          shown() +
              ":5:20: TRAIN.TEACHER_MODEL: has no effect: belongs to "
              "DISTILLATION_TYPE",
          shown() + ":6:6: TAG: has no effect: a label"));
}

TEST_F(PaddleVit, SizesMakeTheModel) {
  const ModelConfig tiny =
      recipe("MODEL: {EMBED_DIM: 192, NUM_HEADS: 3, PATCH_SIZE: 8}\n"
             "DATA: {IMAGE_SIZE: 32}\n")
          .model;
  EXPECT_EQ(tiny.name, "vit_tiny_patch8_32");
  EXPECT_FALSE(tiny.depth.has_value());
  const ModelConfig own =
      recipe("MODEL: {NAME: mine, EMBED_DIM: 96, NUM_HEADS: 4, DEPTH: 5, "
             "MLP_RATIO: 2, DROPPATH: 0.1}\n")
          .model;
  EXPECT_EQ(own.name, "vit_base_patch16_224");
  EXPECT_EQ(own.embed_dim, 96);
  EXPECT_EQ(own.num_heads, 4);
  EXPECT_EQ(own.depth, 5);
  EXPECT_EQ(own.mlp_ratio, 2.0);
  EXPECT_EQ(own.drop_path, 0.1);
}

TEST_F(PaddleVit, OtherModelsAreRefusedByName) {
  for (const char* options : {"", "-eval"}) {
    const std::vector<std::string> extra = *options == '\0'
        ? std::vector<std::string>{}
        : std::vector<std::string>{options};
    // One line, whatever else stands there.
    EXPECT_THAT(
        refusal(
            "MODEL: {TYPE: CSwin, SPLIT_SIZES: [1]}\nTRAIN: {X: 1}\n", extra),
        AllOf(
            StartsWith(
                shown() +
                ":1:15: MODEL.TYPE: CSwin is not available in this version; "
                "ViT, DeiT, MAE,"),
            HasSubstr("1 problem found")));
    expect_message(refusal("MODEL: {TYPE: alexnet}\n", extra), {"MODEL.TYPE"});
    expect_message(
        refusal("MODEL: {QKV_BIAS: False}\n", extra), {"MODEL.QKV_BIAS"});
    expect_message(
        refusal("MODEL: {ATTN_HEAD_SIZE: 32}\n", extra),
        {"MODEL.ATTN_HEAD_SIZE"});
  }
  EXPECT_EQ(
      recipe("MODEL: {ATTN_HEAD_SIZE: 64}\n").model.name,
      "vit_base_patch16_224");
}

// A note lists defaults of PaddleViT that the trainer does not support.
TEST_F(PaddleVit, WhatIsMissingIsSaid) {
  const std::string both = "MODEL: {TYPE: deit}\n";
  EXPECT_THAT(
      load_text(both).notes,
      Contains(HasSubstr("PaddleViT's default: TRAIN.DISTILLATION_TYPE")));
  const std::string text = both + "TRAIN: {DISTILLATION_TYPE: 'none'}\n";
  const Loaded loaded = load_text(text);
  EXPECT_EQ(loaded.recipe.train.ema.decay, 0.99996);
  const Recipe& trained = loaded.recipe;
  EXPECT_EQ(trained.model.name, "vit_base_patch16_224");
  EXPECT_EQ(trained.data.preprocess.mean[0], 0.485);
  EXPECT_EQ(trained.optim.lr, 5e-4);
  EXPECT_EQ(trained.optim.weight_decay, 0.05);
  EXPECT_THAT(trained.optim.no_decay, Not(IsEmpty()));
  EXPECT_EQ(trained.schedule.warmup.text(), "5ep");
  EXPECT_EQ(trained.train.label_smoothing, 0.1);
  EXPECT_EQ(trained.schedule.scale.base_batch, 512);
  const MixConfig& mix = trained.data.augment.mix;
  EXPECT_EQ(mix.mixup, 0.8);
  EXPECT_EQ(mix.cutmix, 1.0);
  EXPECT_EQ(mix.mix_mode, MixMode::kBatch);
  EXPECT_EQ(trained.data.augment.erase.erasing, 0.25);
  EXPECT_EQ(trained.data.augment.erase.erasing_mode, EraseMode::kPixel);

  const Loaded without = load_text(text, {"-set", "TRAIN.MODEL_EMA=False"});
  EXPECT_THAT(without.notes, Not(Contains(HasSubstr("DISTILLATION"))));
  EXPECT_FALSE(without.recipe.train.ema.decay);
  const Loaded evaluated = load_text(both, {"-eval", "-pretrained", "w"});
  EXPECT_THAT(evaluated.notes, Not(Contains(HasSubstr("DISTILLATION"))));
}

// A key that the file sets itself and that is not supported is refused unless
// an option allows it.
TEST_F(PaddleVit, WhatWouldChangeTrainingIsRefused) {
  const std::string text =
      "TRAIN: {RANDOM_ERASE_SPLIT: True, RANDOM_ERASE_PROB: 0.5}\n";
  expect_message(refusal(text), {"-set", "TRAIN.RANDOM_ERASE_SPLIT=False"});
  load_text(text, {"-eval", "-pretrained", "w"});
  load_text(text, {"-set", "TRAIN.RANDOM_ERASE_SPLIT=False"});
  expect_message(
      refusal("MODEL: {TYPE: swin, PATCH_SIZE: 4, DROPOUT: 0.1}\n"),
      {"MODEL.DROPOUT"});
}

// The network is PaddleViT's, with two heads; its teacher is not there.
TEST_F(PaddleVit, DistillationIsASecondHead) {
  const Loaded loaded = load_text("MODEL: {TYPE: deit}\n");
  EXPECT_EQ(loaded.recipe.model.name, "deit_base_distilled_patch16_224");
  EXPECT_THAT(
      loaded.notes,
      Contains(
          HasSubstr("TRAIN.DISTILLATION_TYPE: hard: a teacher is told by")));
}

TEST_F(PaddleVit, LayersLearnMoreSlowlyTowardsTheInput) {
  EXPECT_EQ(recipe("TRAIN: {LAYER_DECAY: 0.65}\n").optim.layer_decay, 0.65);
  EXPECT_EQ(
      recipe("TRAIN: {LAYER_DECAY: 1.0}\n").optim.layer_decay, std::nullopt);
}

TEST_F(PaddleVit, AugmentsAsPaddleVit) {
  const auto augment = [&](const std::string& train) {
    return recipe("TRAIN: {" + train + "}\n").data.augment;
  };
  EXPECT_EQ(augment("").auto_augment, std::nullopt);
  EXPECT_THAT(augment("").color_jitter, IsEmpty());
  EXPECT_THAT(augment("COLOR_JITTER: 0.4").color_jitter, ElementsAre(0.4));
  EXPECT_EQ(
      augment("RAND_AUGMENT: True, AUTO_AUGMENT: True").auto_augment,
      "paddlevit:randaugment-n2-m9");
  EXPECT_EQ(
      augment("RAND_AUGMENT: True, RAND_AUGMENT_LAYERS: 9, "
              "RAND_AUGMENT_MAGNITUDE: 5")
          .auto_augment,
      "paddlevit:randaugment-n9-m5");
  // The jitter counts only without other policies.
  const AugmentConfig automatic =
      augment("AUTO_AUGMENT: True, COLOR_JITTER: 0.4");
  EXPECT_EQ(automatic.auto_augment, "paddlevit:autoaugment");
  EXPECT_THAT(automatic.color_jitter, IsEmpty());
}

// eff = batch x accumulation x world, of all three rates.
TEST_F(PaddleVit, ScalesTheRatesByTheGlobalBatch) {
  const Recipe r =
      recipe("DATA: {BATCH_SIZE: 128}\n"
             "TRAIN: {LINEAR_SCALED_LR: 512, ACCUM_ITER: 2, BASE_LR: 5e-4, "
             "WARMUP_START_LR: 1e-6, END_LR: 1e-5, NUM_EPOCHS: 10, "
             "WARMUP_EPOCHS: 2}\n");
  const Plan plan = make_plan(
      r,
      plan_batch(r, 8),
      {.train_samples = 20480, .steps_per_epoch = 10, .eval_samples = 1});
  EXPECT_EQ(plan.global_batch, 2048);
  EXPECT_DOUBLE_EQ(plan.lr, 5e-4 * 4);
  EXPECT_DOUBLE_EQ(plan.warmup_lr, 1e-6 * 4);
  EXPECT_DOUBLE_EQ(plan.min_lr, 1e-5 * 4);
  EXPECT_EQ(plan.lr_text, "0.0005 x 2048 / 512 = 0.002");
}

TEST_F(PaddleVit, SetTakesKeysOfBothAndWins) {
  const std::vector<std::string> options = {
      "-batch_size",
      "16",
      "-set",
      "DATA.BATCH_SIZE=32",
      "-set",
      "optim.lr=1",
      "-set",
      "TRAIN.OPTIMIZER.BETAS=(0.5, 0.6)",
      "-set",
      "schedule.paddle_exact_schedule=true"};
  const Loaded loaded = load_text("TRAIN: {BASE_LR: 2}\n", options);
  EXPECT_EQ(loaded.recipe.data.batch_size, 32);
  EXPECT_EQ(loaded.recipe.data.eval_batch_size, 16);
  EXPECT_EQ(loaded.recipe.optim.lr, 1.0);
  EXPECT_EQ(loaded.recipe.optim.betas.value()[1], 0.6);
  EXPECT_TRUE(loaded.recipe.schedule.paddle_exact_schedule);
  EXPECT_EQ(loaded.origins.at("data.batch_size").text(), "-set #1");
  expect_message(
      refusal("SEED: 1\n", {"-set", "TRAIN.BASE_LRR=1"}),
      {"-set", "1", "TRAIN.BASE_LRR"});
  expect_message(
      refusal("SEED: 1\n", {"-set", "TRAIN.BASE_LR=fast"}),
      {"-set", "1", "TRAIN.BASE_LR", "0"});
}

// A file that could not be read may have set it.
TEST_F(PaddleVit, ItsDefaultPathIsNotKnownWithoutABase) {
  const TempFolder folder;
  const auto file = folder.write("a.yaml", "BASE: ['no.yaml']\nSEED: 1\n");
  Problems problems;
  const PartialRecipe reading = read({.file = file}, problems);
  EXPECT_FALSE(problems.empty());
  EXPECT_TRUE(reading.unread.contains("data.train.path"));
  problems = {};
  const PartialRecipe given = read({.file = file, .data_path = "d"}, problems);
  EXPECT_FALSE(given.unread.contains("data.train.path"));
}

TEST_F(PaddleVit, OtherKindsOfDataCanBeChosen) {
  const DataConfig data =
      recipe("SEED: 1\n", {"-dataset=folder", "-data_path=d"}).data;
  EXPECT_EQ(data.train.kind, SourceKind::kFolder);
  EXPECT_EQ(data.train.path, "d/train");
  EXPECT_EQ(
      recipe("DATA: {DATA_PATH: d}\n", {"-dataset=cifar"}).data.eval.path, "d");
  EXPECT_EQ(
      recipe("SEED: 1\n", {"-dataset=random"}).data.train.kind,
      SourceKind::kRandom);
  EXPECT_EQ(
      recipe("SEED: 1\n", {"-data_path=a", "-set", "DATA.DATA_PATH=b"})
          .data.train.path,
      "b/train_list.txt");
}

TEST_F(PaddleVit, EvalAndResumeBelongOnTheCommandLine) {
  const std::string message = refusal(
      "EVAL: True\nMODEL: {RESUME: ./x.pdparams}\nTRAIN: {LAST_EPOCH: 3}\n");
  expect_message(message, {"1", "7"});
  expect_message(message, {"2", "17", "MODEL.RESUME"});
  expect_message(message, {"3", "21", "TRAIN.LAST_EPOCH", "0"});
}

} // namespace
} // namespace vitrain::config
