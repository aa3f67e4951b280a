#include "config/foreign/translation.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <map>

#include "config/load/writer.h"
#include "config/load_recipe.h"
#include "config/rules/validate.h"
#include "config/schema/schema.h"
#include "config/schema/values.h"
#include "core/system/files.h"
#include "core/text.h"
#include "support.h"
#include "support/messages.h"

namespace vitrain::config::foreign {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::IsSupersetOf;
using ::testing::StartsWith;

std::string golden_args(const std::string& name) {
  return std::string(VITRAIN_SOURCE_DIR) + "/tests/golden/config/timm_args/" +
      name + ".yaml";
}

Translation of_file(const std::string& name) {
  return translate(read_words(timm(), golden_args(name)));
}

Translation of_command(const Program& program, const std::string& command) {
  return translate(read_words(program, split_command(command)));
}

std::map<std::string, std::string> all_values(const Recipe& original) {
  Recipe recipe = original;
  std::map<std::string, std::string> values;
  for (const Field& field : schema_of(recipe).fields) {
    values[field.path] = write_value(field);
  }
  return values;
}

// The keys in which a recipe has these values.
void expect_values(
    const Recipe& recipe,
    const std::map<std::string, std::string>& expected) {
  const auto values = all_values(recipe);
  for (const auto& [key, value] : expected) {
    ASSERT_TRUE(values.contains(key)) << key;
    EXPECT_EQ(values.at(key), value) << key;
  }
}

std::vector<std::string> words_of(const std::vector<Remark>& remarks) {
  std::vector<std::string> words;
  for (const Remark& remark : remarks) {
    words.push_back(remark.word);
  }
  return words;
}

TEST(Foreign, EveryArgumentOfTimmIsAWordWithItsDefault) {
  const std::string file = golden_args("defaults");
  Problems problems;
  const auto root = parse_document(
      read_file(file, 1 << 20, ExitCode::kUsage), file, problems);
  ASSERT_TRUE(root && problems.empty()) << problems.text();
  EXPECT_GT(root->entries.size(), 150u);
  for (const Node::Entry& entry : root->entries) {
    EXPECT_NE(timm().find(entry.key), nullptr) << entry.key;
  }
  const Words words = read_words(timm(), file);
  EXPECT_THAT(words.unknown(), IsEmpty());
  for (const Word& word : timm().words) {
    EXPECT_FALSE(words.changed(word.name)) << word.name;
  }
}

TEST(Foreign, NamesAreThereOnceAndTheirKeysExist) {
  Recipe recipe;
  const auto keys = all_values(recipe);
  for (const Program* program : programs()) {
    std::vector<std::string> names;
    for (const Word& word : program->words) {
      names.emplace_back(word.name);
      if (!word.other.empty()) {
        names.emplace_back(word.other);
      }
      if (word.sets.empty()) {
        EXPECT_FALSE(word.note.empty()) << word.name;
        continue;
      }
      for (const std::string& key : split(word.sets, ' ')) {
        EXPECT_TRUE(keys.contains(key)) << word.name << ": " << key;
      }
    }
    std::ranges::sort(names);
    EXPECT_EQ(std::ranges::adjacent_find(names), names.end()) << program->name;
  }
  for (const Synonym& synonym : synonyms()) {
    const std::string like(synonym.like);
    const bool known = like.empty() ? !synonym.note.empty()
        : like.find('.') != std::string::npos
        ? keys.contains(like)
        : timm().find(like) != nullptr || torchvision().find(like) != nullptr;
    EXPECT_TRUE(known) << synonym.name;
  }
}

// Returns a value for a word, to see its effect.
std::vector<std::string> probe_of(const Word& word) {
  const std::map<std::string_view, std::string> kProbes{
      {"aa", "v0"},
      {"amp_dtype", "bfloat16"},
      {"auto_augment", "ta_wide"},
      {"class_map", "names.txt"},
      {"clip_mode", "value"},
      {"crop_pct", "0.75"},
      {"dataset", "wds/x"},
      {"device", "cpu"},
      {"dist_bn", "broadcast"},
      {"eval_metric", "loss"},
      {"gp", "avg"},
      {"in_chans", "1"},
      {"interpolation", "nearest"},
      {"loss", "bce"},
      {"loss_pos_weight", "2"},
      {"lr_base_scale", "sqrt"},
      {"lr_decay_fn", "cosine"},
      {"lr_scheduler", "cosineannealinglr"},
      {"lr_warmup_method", ""}, // there is one
      {"bias_weight_decay", "0"},
      {"mixup_mode", "elem"},
      {"model_dtype", "bfloat16"},
      {"norm_weight_decay", "0"},
      {"opt", "adamw"},
      {"remode", "rand"},
      {"sched", "step"},
      {"train_crop_mode", "rkrc"},
      {"transformer_embedding_decay", "0"},
      {"train_interpolation", "bicubic"},
  };
  if (const auto probe = kProbes.find(word.name); probe != kProbes.end()) {
    return probe->second.empty() ? std::vector<std::string>{}
                                 : std::vector{probe->second};
  }
  switch (word.takes) {
    case Takes::kFlag:
      return {};
    case Takes::kInteger:
      return {"7"};
    case Takes::kNumber:
      return {"0.25"};
    case Takes::kNumbers:
      return word.name == "mean" || word.name == "std"
          ? std::vector<std::string>{"0.1", "0.2", "0.3"}
          : std::vector<std::string>{"0.25", "0.75"};
    case Takes::kIntegers:
      return word.name == "input_size"
          ? std::vector<std::string>{"1", "64", "96"}
          : std::vector<std::string>{"7", "8"};
    default:
      return {"something"};
  }
}

// A word changes the keys that its row names, and no others.
TEST(Foreign, EveryWordSetsWhatItsRowSays) {
  // Keys that change too: pre-processing follows the model, and the listing of
  // the data follows their kind.
  const std::multimap<std::string_view, std::string_view> kFollows{
      {"aa", "data.augment.color_jitter"},
      {"dataset", "data.train.class_order"},
      {"dataset", "data.eval.class_order"},
      {"model", "data.preprocess"},
      {"model", "model.image_size"},
      {"model", "model.drop_path"},
      {"no_aug", "data.augment"},
      {"lr", "schedule.warmup_lr"}, // torchvision's is a share of it
      {"lr_warmup_epochs", "schedule.milestones"},
      {"opt", "schedule.scale.rule"}};
  for (const Program* program : programs()) {
    for (const Word& word : program->words) {
      const std::vector<std::string> probe = probe_of(word);
      const bool silent = probe.empty() && word.takes != Takes::kFlag;
      if (word.sets.empty() || silent) {
        continue;
      }
      Problems problems;
      Words words(*program);
      if (!word.beside.empty()) {
        words.read_yaml(
            *parse_document(word.beside, "beside", problems), "x", problems);
      }
      const auto before = all_values(translate(words).recipe);
      std::vector<std::string> line{"--" + std::string(word.name)};
      line.insert(line.end(), probe.begin(), probe.end());
      words.read_command(line, "x", problems);
      ASSERT_TRUE(problems.empty()) << problems.text();
      const std::vector<std::string> sets = split(word.sets, ' ');
      bool changed = false;
      for (const auto& [key, value] : all_values(translate(words).recipe)) {
        if (value == before.at(key)) {
          continue;
        }
        changed = true;
        const auto [first, last] = kFollows.equal_range(word.name);
        const bool follows = std::any_of(first, last, [&](const auto& pair) {
          return key.starts_with(pair.second);
        });
        EXPECT_TRUE(std::ranges::find(sets, key) != sets.end() || follows)
            << program->name << ": " << word.name << " sets " << key;
      }
      EXPECT_TRUE(changed) << program->name << ": " << word.name
                           << " sets nothing";
    }
  }
}

TEST(Foreign, WhatTimmDoesByItselfIsInTheRecipe) {
  const Translation translation = of_file("defaults");
  EXPECT_THAT(translation.missing, IsEmpty());
  expect_values(
      translation.recipe,
      {{"model.name", "resnet50"},
       {"model.num_classes", "1000"},
       {"data.sampler.policy", "torch"},
       {"data.sampler.drop_tail", "false"},
       {"run.epochs", "300"},
       {"run.seed", "42"},
       {"optim.name", "sgd"},
       {"optim.nesterov", "true"}, // timm's sgd
       {"optim.momentum", "0.9"},
       {"optim.weight_decay", "2.0e-05"},
       {"optim.lr", "0.1"},
       {"schedule.scale.rule", "linear"},
       {"schedule.scale.base_batch", "256"},
       {"schedule.name", "cosine"},
       {"schedule.unit", "epoch"},
       {"schedule.warmup", "5ep"},
       {"schedule.warmup_lr", "1.0e-05"},
       {"schedule.min_lr", "0.0"},
       {"train.label_smoothing", "0.1"},
       {"train.precision", "fp32"},
       {"data.augment.interpolation", "random"},
       {"data.augment.color_jitter", "[0.4]"},
       {"data.preprocess.crop_pct", "0.95"}, // of resnet50's default weights
       {"data.preprocess.interpolation", "bicubic"},
       {"data.train.class_order", "timm"},
       {"data.train.path", "null"},
       {"log.every", "50"},
       {"checkpoint.keep_best", "10"}});
}

TEST(Foreign, APublishedRecipeOfResNet) {
  const Translation translation = of_file("resnet50_sgd");
  EXPECT_THAT(translation.missing, IsEmpty());
  EXPECT_THAT(translation.differs, IsEmpty());
  EXPECT_THAT(translation.idle, IsSupersetOf({"channels_last", "pin_mem"}));
  expect_values(
      translation.recipe,
      {{"optim.nesterov", "false"}, // momentum
       {"optim.lr", "0.5"},
       {"schedule.scale.rule", "none"},
       {"run.epochs", "95"}, // warmup_prefix adds the warm-up
       {"run.name", "rn50_sgd"},
       {"data.train.path", "/data/imagenet/train"},
       {"data.eval.path", "/data/imagenet/val"},
       {"data.threads", "8"},
       {"train.precision", "bf16"}});
}

TEST(Foreign, WhatIsNotThereIsListed) {
  const Translation a2 = of_file("resnet50_a2");
  EXPECT_THAT(a2.missing, IsEmpty());
  EXPECT_THAT(a2.differs, IsEmpty());
  expect_values(
      a2.recipe,
      {{"optim.name", "lamb"},
       {"train.precision", "fp16"},
       {"optim.clip_norm", "1.0"}, // timm's clips by itself
       {"train.loss", "binary_cross_entropy"},
       {"train.bce_threshold", "0.2"},
       {"train.label_smoothing", "0.0"},
       {"data.augment.mixup", "0.1"},
       {"data.augment.cutmix", "1.0"},
       {"data.augment.auto_augment", "rand-m7-mstd0.5-inc1"},
       {"data.augment.color_jitter", "[]"}, // aa replaces it
       {"data.augment.interpolation", "bicubic"},
       {"data.sampler.policy", "repeated"},
       {"data.sampler.repeats", "3.0"},
       {"model.drop_path", "0.05"}});
  const Translation deit = of_file("deit_small");
  EXPECT_THAT(deit.missing, IsEmpty());
  EXPECT_THAT(deit.idle, ElementsAre("log_wandb"));
  expect_values(
      deit.recipe,
      {{"optim.lr", "0.0005"},
       {"schedule.scale.rule", "linear"}, // said, or it were sqrt
       {"schedule.scale.base_batch", "512"},
       {"schedule.unit", "step"},
       {"optim.clip_norm", "1.0"},
       {"data.eval_batch_size", "256"},
       {"data.augment.erasing", "0.25"},
       {"data.preprocess.crop_pct", "0.9"}});
}

// The file in configs/ equals the translation of timm's arguments for A2.
TEST(Foreign, TheShippedA2IsThatOfTimmsArguments) {
  const auto shipped = all_values(
      load({.file = VITRAIN_SOURCE_DIR "/configs/imagenet_resnet50_a2.yaml"})
          .recipe);
  const auto translated = all_values(of_file("resnet50_a2").recipe);
  for (const char* key :
       {"model.name",
        "model.drop_path",
        "train.loss",
        "train.bce_threshold",
        "train.label_smoothing",
        "optim.name",
        "optim.lr",
        "optim.weight_decay",
        "optim.clip_norm",
        "schedule.name",
        "schedule.unit",
        "schedule.warmup",
        "schedule.warmup_prefix",
        "data.sampler.policy",
        "data.sampler.repeats",
        "data.preprocess.crop_pct",
        "data.augment.auto_augment",
        "data.augment.interpolation",
        "data.augment.mixup",
        "data.augment.cutmix",
        "data.augment.erasing"}) {
    EXPECT_EQ(shipped.at(key), translated.at(key)) << key;
  }
  for (const char* name : {"a1", "a3"}) {
    const std::string file = fmt::format(
        "{}/configs/imagenet_resnet50_{}.yaml", VITRAIN_SOURCE_DIR, name);
    EXPECT_EQ(load({.file = file}).recipe.train.bce_threshold, 0.2) << name;
  }
}

// ResNet-50 with RandAugment and Jensen-Shannon, of timm's training scripts.
TEST(Foreign, SplitsOfTimm) {
  const Translation splits = of_command(
      timm(),
      "--model resnet50 --sched cosine --epochs 200 --lr 0.05 --remode pixel "
      "--reprob 0.6 --aug-splits 3 --aa rand-m9-mstd0.5-inc1 --resplit "
      "--jsd-loss --dist-bn reduce");
  EXPECT_THAT(splits.missing, ElementsAre());
  expect_values(
      splits.recipe,
      {{"train.loss", "jensen_shannon"},
       {"train.jsd_splits", "3"},
       {"train.jsd_alpha", "12.0"},
       {"train.label_smoothing", "0.1"},
       {"data.augment.erasing", "0.6"},
       {"data.augment.erasing_clean", "false"}});
  EXPECT_THAT(
      words_of(
          of_command(timm(), "--aug-splits 3 --reprob 0.6 --resplit").missing),
      ElementsAre("aug_splits: 3", "resplit: true"));
}

// timm's train.py with DistributedDataParallel; torchvision's has the first
// part of it.
TEST(Foreign, RunningStatisticsAreThoseOfDistributedTraining) {
  const auto statistics = [](const Translation& translation) {
    return name_of(translation.recipe.dist.batchnorm);
  };
  const auto of_timm = [&](const std::string& words) {
    return of_command(timm(), "--model resnet50 " + words);
  };
  EXPECT_EQ(statistics(of_timm("")), "broadcast_average");
  EXPECT_EQ(statistics(of_timm("--dist-bn broadcast")), "broadcast");
  EXPECT_EQ(statistics(of_timm("--dist-bn ''")), "broadcast");
  EXPECT_EQ(statistics(of_timm("--no-ddp-bb")), "local");
  EXPECT_EQ(statistics(of_timm("--sync-bn --no-ddp-bb")), "sync");
  const auto is_left_out = [&](const std::string& words) {
    return std::ranges::any_of(
        of_timm(words).missing, [](const Remark& remark) {
          return remark.word.find("dist_bn") != std::string::npos;
        });
  };
  for (const char* words :
       {"", "--dist-bn broadcast", "--no-ddp-bb", "--sync-bn"}) {
    EXPECT_FALSE(is_left_out(words)) << words;
  }
  // Statistics of rank 0, or of each worker, synchronised only after an epoch.
  for (const char* words :
       {"--no-ddp-bb --dist-bn broadcast", "--no-ddp-bb --dist-bn ''"}) {
    EXPECT_TRUE(is_left_out(words)) << words;
  }
  EXPECT_EQ(statistics(of_command(torchvision(), "")), "broadcast");
  EXPECT_EQ(statistics(of_command(torchvision(), "--sync-bn")), "sync");
}

// Words that timm ignores here: the recipe passes `config check`.
TEST(Foreign, WordsWithoutEffectInTimmAreLeftOut) {
  const auto check = [](const std::string& words, const std::string& idle) {
    const Words given = read_words(
        timm(), split_command("--dataset torch/mnist --data-dir /d " + words));
    const Translation translation = translate(given);
    EXPECT_THAT(translation.idle, Contains(idle)) << words;
    EXPECT_THAT(left_out(translation), HasSubstr("no effect: " + idle));
    const Problems problems =
        validate(from_yaml(to_file(given, translation), "x"), {});
    EXPECT_TRUE(problems.empty()) << words << ": " << problems.text();
  };
  check("--bce-target-thresh 0.2", "bce_target_thresh");
  check("--bce-sum", "bce_sum");
  check("--bce-pos-weight 2", "bce_pos_weight");
  check("--bce-loss --smoothing 0 --bce-sum", "bce_sum");
  check("--jsd-loss --aug-splits 3 --bce-loss --bce-sum", "bce_sum");
  check("--mixup-off-epoch 5", "mixup_off_epoch");
  const Translation used = of_command(
      timm(),
      "--bce-loss --bce-target-thresh 0.2 --bce-sum --cutmix 1 "
      "--mixup-off-epoch 5");
  EXPECT_THAT(used.idle, IsEmpty());
  expect_values(
      used.recipe,
      {{"train.bce_threshold", "0.2"},
       {"train.bce_sum", "true"},
       {"data.augment.mix_off_epoch", "5"}});
}

TEST(Foreign, FineTuningAndCifar) {
  const Translation swin = of_file("swin_tiny_finetune");
  EXPECT_THAT(words_of(swin.missing), IsEmpty());
  expect_values(
      swin.recipe,
      {{"optim.layer_decay", "0.75"},
       {"model.name", "swin_tiny_patch4_window7_224"},
       {"model.pretrained", R"("timm:swin_tiny_patch4_window7_224.ms_in1k")"},
       {"model.num_classes", "37"},
       {"optim.betas", "[0.9, 0.98]"},
       {"optim.no_decay",
        "[bias, norm, cls_token, dist_token, reg_token, pos_embed, "
        "relative_position_bias_table]"},
       {"schedule.name", "step"},
       {"schedule.step_every", "10ep"},
       {"schedule.step_factor", "0.2"},
       {"schedule.warmup", "0ep"},
       {"data.augment.auto_augment", R"("3a")"},
       {"data.augment.color_jitter", "[0.3]"}, // with 3-Augment it stays
       {"data.augment.scale", "[0.5, 1.0]"},
       {"data.train.path", "/data/pets/train"},
       {"data.preprocess.mean", "[0.5, 0.5, 0.5]"},
       {"train.accumulate", "2"},
       {"dist.batchnorm", "sync"},
       {"eval.every", "2ep"},
       {"checkpoint.keep_best", "3"}});
  const Translation cifar = of_file("cifar");
  expect_values(
      cifar.recipe,
      {{"data.train.kind", "cifar"},
       {"data.train.path", "/data/cifar"},
       {"model.image_size", "32"},
       {"data.augment.crop", "squash"},
       {"data.augment.flip", "0.0"},
       {"data.augment.color_jitter", "[]"},
       {"schedule.milestones", "[9ep, 19ep]"},
       {"train.loss", "cross_entropy"}, // timm's, without soft targets
       {"devices.kind", "cpu"},
       {"run.output", "runs/timm"}});
}

TEST(Foreign, WarmUpsShiftTheDropsWhereTheyDo) {
  const Recipe timm_prefix =
      of_command(
          timm(),
          "--sched step --decay-epochs 30 --epochs 90 --warmup-epochs 5 "
          "--warmup-prefix")
          .recipe;
  expect_values(
      timm_prefix,
      {{"run.epochs", "95"}, {"schedule.milestones", "[35ep, 65ep]"}});
  const Recipe step =
      of_command(
          torchvision(),
          "--lr-warmup-epochs 5 --lr-warmup-method linear --lr 0.5")
          .recipe;
  expect_values(
      step,
      {{"run.epochs", "90"},
       {"schedule.warmup_lr", "0.005"},
       {"schedule.milestones", "[35ep, 65ep]"}});
}

// One fifth of the epochs after the warm-up; timm refuses more epochs than
// those.
TEST(Foreign, DecayEpochsThatAreNotSaid) {
  const auto cooldown = [](const std::string& more) {
    return of_command(timm(), "--epochs 25 --warmup-epochs 5 " + more);
  };
  expect_values(cooldown("--sched wsd").recipe, {{"schedule.cooldown", "4ep"}});
  const Translation too_long = cooldown("--sched wsd --decay-epochs 90");
  expect_values(too_long.recipe, {{"schedule.cooldown", "4ep"}});
  EXPECT_THAT(
      words_of(too_long.differs), Contains(StartsWith("decay_epochs: ")));
  expect_values(
      cooldown("--sched rsqrt --decay-epochs 7").recipe,
      {{"schedule.cooldown", "7ep"}});
}

// One epoch early, or with --sched-on-updates one update.
TEST(Foreign, MilestonesOfTimm) {
  const std::string command =
      "--sched multistep --decay-milestones 3 7 --epochs 10 --warmup-epochs 0";
  expect_values(
      of_command(timm(), command).recipe,
      {{"schedule.milestones", "[2ep, 6ep]"}});
  const Translation updates =
      of_command(timm(), command + " --sched-on-updates");
  expect_values(updates.recipe, {{"schedule.milestones", "[3ep, 7ep]"}});
  EXPECT_THAT(words_of(updates.differs), Contains("decay_milestones: [3, 7]"));
}

TEST(Foreign, OneFolderIsTheDataAndMoreIsListed) {
  const Translation translation =
      of_command(timm(), "train.py /d --color-jitter 0.2 0.3 /e");
  EXPECT_EQ(translation.recipe.data.train.path, "/d/train");
  EXPECT_THAT(words_of(translation.missing), ElementsAre("0.3", "/e"));
}

TEST(Foreign, TorchvisionsNewRecipe) {
  const Translation translation = of_command(
      torchvision(),
      "torchrun --nproc_per_node=8 train.py --model=resnet50 --batch-size 128 "
      "--lr 0.5 --lr-scheduler cosineannealinglr --lr-warmup-epochs 5 "
      "--lr-warmup-method linear --auto-augment ta_wide --epochs 600 "
      "--random-erase 0.1 --label-smoothing 0.1 --mixup-alpha 0.2 "
      "--cutmix-alpha 1.0 --weight-decay 0.00002 --norm-weight-decay 0.0 "
      "--train-crop-size 176 --model-ema --val-resize-size 232 --ra-sampler "
      "--ra-reps 4 --data-path /data/imagenet");
  EXPECT_THAT(translation.missing, IsEmpty());
  EXPECT_THAT(
      words_of(translation.differs), ElementsAre("norm_weight_decay: 0.0"));
  expect_values(
      translation.recipe,
      {{"model.name", "resnet50"},
       {"model.image_size", "224"},
       {"data.augment.image_size", "176"},
       {"data.preprocess.resize", "232"},
       {"optim.name", "sgd"},
       {"optim.nesterov", "false"},
       {"optim.lr", "0.5"},
       {"optim.weight_decay", "2.0e-05"},
       {"optim.no_decay", "[norm, bias]"},
       {"schedule.name", "cosine"},
       {"schedule.unit", "epoch"},
       {"schedule.warmup", "5ep"},
       {"schedule.warmup_lr", "0.005"},
       {"data.augment.auto_augment", R"("torchvision:trivialaugment-b31")"},
       {"data.augment.auto_augment_interpolation", "bilinear"},
       {"data.augment.erasing", "0.1"},
       {"data.augment.erasing_mode", "const"},
       {"data.augment.erasing_aspect", "[0.3, 3.3]"},
       {"data.augment.mixup", "0.2"},
       {"data.sampler.policy", "repeated"},
       {"data.sampler.repeats", "4.0"},
       {"data.sampler.last_batch", "keep"},
       {"data.preprocess.interpolation", "bilinear"},
       {"data.train.path", "/data/imagenet/train"},
       {"data.train.class_order", "torchvision"},
       {"train.ema.every", "32"},
       // 1 - (1 - 0.99998) * 8 * 128 * 32 / 600 (references/classification).
       {"train.ema.decay", "0.9989077333333323"},
       {"train.ema.count", "epoch"},
       {"train.ema.start", "5ep"},
       {"train.precision", "fp32"}});
  expect_values(
      of_command(torchvision(), "--model swin_t --opt adamw").recipe,
      {{"model.name", "swin_tiny_patch4_window7_224"},
       {"model.drop_path", "0.2"}, // torchvision's own
       {"optim.name", "adamw"},
       {"optim.no_decay", "[]"},
       {"data.preprocess.resize", "256"}});
}

TEST(Foreign, TorchvisionsClassifiersHaveDropout) {
  const Translation translation =
      of_command(torchvision(), "--model efficientnet_v2_m");
  expect_values(
      translation.recipe,
      {{"model.drop_path", "0.2"}, {"model.head_dropout", "0.3"}});
  expect_values(
      of_command(torchvision(), "--model resnet50").recipe,
      {{"model.drop_path", "0.0"}});
}

TEST(Foreign, FilesOfTranslationsAreRecipes) {
  for (const char* name :
       {"defaults",
        "resnet50_sgd",
        "resnet50_a2",
        "deit_small",
        "swin_tiny_finetune",
        "cifar"}) {
    const Words words = read_words(timm(), golden_args(name));
    const Translation translation = translate(words);
    const std::string text = to_file(words, translation);
    const Recipe read = from_yaml(text, name);
    // A key that is left out has no effect or its default value.
    Recipe recipe = translation.recipe;
    const Schema schema = schema_of(recipe);
    const auto values = all_values(read);
    for (const Field& field : schema.fields) {
      if (!field.needs_met || field.needs_met()) {
        EXPECT_EQ(values.at(field.path), write_value(field))
            << name << ": " << field.path;
      }
    }
    for (const Remark& remark : translation.missing) {
      EXPECT_THAT(text, HasSubstr("#   " + remark.word + " ("));
      EXPECT_THAT(left_out(translation), HasSubstr("left out: " + remark.word));
    }
  }
  const Words words = read_words(timm(), golden_args("deit_small"));
  EXPECT_THAT(
      to_file(words, translate(words)),
      testing::ContainsRegex("lr: 0.0005 +# lr_base\n"));
}

TEST(Foreign, MistakesInArgumentsAreToldWithTheirPlace) {
  const TempFolder folder;
  const std::string file = (folder.path() / "args.yaml").string();
  write_file_atomically(
      file, "epochs: many\nlr: [1, 2]\nscale: [a, 1]\nnew_word: 3\nopt: sgd\n");
  const std::string text = usage_error([&] { read_words(timm(), file); });
  expect_message(text, {"1", "9"});
  expect_message(text, {"2", "5", "1"});
  expect_message(text, {"3", "8", "1"});
  write_file_atomically(file, "new_word: 3\nopt: sgd\n");
  const Translation translation = translate(read_words(timm(), file));
  EXPECT_THAT(words_of(translation.missing), ElementsAre("new_word: 3"));
  expect_message(
      usage_error([&] { read_words(timm(), folder.write("a.sh", "# x\n")); }),
      {"a.sh", "args.yaml"});
  const std::string binary("\x89PNG\0\r\n", 7);
  expect_message(
      usage_error([&] { read_words(timm(), folder.write("a.png", binary)); }),
      {"a.png", "args.yaml"});
  expect_message(
      usage_error([&] { read_words(timm(), "no-such-file.yaml"); }),
      {"no-such-file.yaml"});
  expect_message(
      usage_error([&] { read_words(timm(), "--epochs --lr 1"); }), {});
}

TEST(Foreign, PoolingIsSaidOfNetworksThatHaveAChoice) {
  const auto pool = [](const std::string& words) {
    return all_values(of_command(timm(), words).recipe).at("model.global_pool");
  };
  const std::string none = pool("--model resnet18");
  EXPECT_EQ(pool("--model resnet18 --gp avg"), none);
  EXPECT_NE(pool("--model vit_tiny_patch16_224 --gp avg"), none);
}

// timm takes this one with a value or without.
TEST(Foreign, AWordMayStandAlone) {
  for (const char* command :
       {"train.py /d --torchcompile --epochs 3",
        "train.py /d --epochs 3 --torchcompile",
        "train.py /d --torchcompile inductor --epochs 3"}) {
    const Translation translation = of_command(timm(), command);
    EXPECT_THAT(translation.idle, ElementsAre("torchcompile")) << command;
    EXPECT_EQ(translation.recipe.run.epochs, 3) << command;
  }
}

TEST(Foreign, CommandsAreSplitAsAShellDoes) {
  EXPECT_THAT(
      split_command("python train.py \\\n  --model 'a b' --lr=1 # no\n-x \"\""),
      ElementsAre("python", "train.py", "--model", "a b", "--lr=1", "-x", ""));
  // timm's script begins with the number of processes.
  const Words words = read_words(
      timm(),
      split_command(
          "./distributed_train.sh 4 /data/imagenet --model seresnet34 "
          "--opt-betas 0.9 0.95 --amp -b 256"));
  EXPECT_EQ(words.text("data"), "/data/imagenet");
  EXPECT_THAT(words.numbers("opt_betas"), ElementsAre(0.9, 0.95));
  EXPECT_TRUE(words.flag("amp"));
  EXPECT_EQ(words.integer("batch_size"), 256);
}

TEST(Foreign, AnswersSayWhatIsWrittenHere) {
  EXPECT_EQ(
      answer("epochs", {"300"}),
      "is timm's and torchvision's; here: -set run.epochs=300");
  EXPECT_EQ(
      answer("epochs", {}),
      "is timm's and torchvision's; here: -set run.epochs=VALUE");
  EXPECT_EQ(
      answer("opt", {"sgd"}),
      "is timm's and torchvision's; here: -set optim.name=sgd -set "
      "optim.nesterov=true");
  EXPECT_EQ(
      answer("opt", {"lamb"}),
      "is timm's and torchvision's; here: -set optim.name=lamb -set "
      "optim.clip_norm=1.0");
  EXPECT_EQ(
      answer("warmup_epochs", {"5"}),
      "is timm's; here: -set schedule.warmup=5ep");
  EXPECT_EQ(
      answer("mean", {"0.5", "0.5", "0.5"}),
      "is timm's; here: -set data.preprocess.mean='[0.5, 0.5, 0.5]'");
  EXPECT_EQ(
      answer("amp_dtype", {"float16"}),
      "is timm's; here: -set train.precision=fp16, or bf16");
  EXPECT_EQ(
      answer("b", {"64"}), "is timm's and torchvision's; here: -batch_size 64");
  EXPECT_EQ(
      answer("model_ema_decay", {"0.999"}),
      "is timm's and torchvision's; here: -set train.ema.decay=0.999");
  EXPECT_EQ(
      answer("pin_mem", {}),
      "is timm's; not needed here: makes it faster, not other");
  EXPECT_EQ(
      answer("base_lr", {"0.0125"}),
      "is Horovod's examples'; here: -set optim.lr=0.0125");
  EXPECT_EQ(
      answer("lr_warmup_epochs", {"5"}),
      "is torchvision's; here: -set schedule.warmup=5ep");
  EXPECT_EQ(answer("no_word", {"1"}), "");
}

} // namespace
} // namespace vitrain::config::foreign
