// Translations by `config from-timm` of commands that people use with timm
// 1.0.31.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "config/foreign/scripts.h"
#include "config/foreign/timm_defaults.h"
#include "config/foreign/translation.h"
#include "config/schema/schema.h"
#include "config/schema/values.h"
#include "core/text.h"
#include "support.h"
#include "support/messages.h"

namespace vitrain::config::foreign {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::StartsWith;

Translation of_timm(const std::string& command) {
  return translate(read_words(timm(), split_command(command)));
}

std::string value_in(const Translation& translation, const std::string& key) {
  Recipe recipe = translation.recipe;
  for (const Field& field : schema_of(recipe).fields) {
    if (field.path == key) {
      return write_value(field);
    }
  }
  return "no such key";
}

std::string value_of_key(const std::string& command, const std::string& key) {
  return value_in(of_timm(command), key);
}

std::vector<std::string> missing_of(const std::string& command) {
  std::vector<std::string> words;
  for (const Remark& remark : of_timm(command).missing) {
    words.push_back(remark.word);
  }
  return words;
}

std::string file_of_timm(const std::vector<std::string>& command) {
  const Words words = read_words(timm(), command);
  return to_file(words, translate(words));
}

// Every word whose text a recipe or its comments keep.
TEST(TimmWords, UrlsWithPasswordsAreNotWritten) {
  for (const char* word :
       {"--data-dir",
        "--initial-checkpoint",
        "--resume",
        "--output",
        "--experiment",
        "--class-map",
        "--unknown"}) {
    std::string file;
    try {
      file = file_of_timm({word, "http://me:secret@host/x"});
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ExitCode::kUsage);
      file = error.what();
    }
    EXPECT_THAT(file, Not(HasSubstr("secret"))) << word;
  }
  expect_message(
      usage_error([] {
        file_of_timm({"--data-dir", "http://me:secret@host/x"});
      }),
      {"data_dir"});
}

TEST(TimmWords, UniquePrefixesAreWordsAsForArgparse) {
  EXPECT_EQ(
      value_of_key("--aug-splits 3 --jsd", "train.loss"), "jensen_shannon");
  EXPECT_EQ(value_of_key("--warmup-e 3", "schedule.warmup"), "3ep");
  EXPECT_EQ(value_of_key("--num-cl=7", "model.num_classes"), "7");
  // A word with two names, and a word that is a prefix of other words.
  EXPECT_THAT(
      missing_of("--train-steps 5"), ElementsAre(StartsWith("train_ba")));
  EXPECT_EQ(value_of_key("--lr 0.5", "optim.lr"), "0.5");
  const std::string several =
      usage_error([] { of_timm("--decay 3 --epochs 5"); });
  expect_message(several, {"--decay"});
  // Words that the present version has no longer are no candidates.
  EXPECT_EQ(value_of_key("--eval loss", "checkpoint.metric"), "loss");
  // torchvision's parser, too.
  EXPECT_EQ(
      translate(read_words(torchvision(), split_command("--label-s 0.2")))
          .recipe.train.label_smoothing,
      0.2);
}

TEST(TimmWords, ValuesStandBehindAnOptionOfOneLetter) {
  EXPECT_EQ(value_of_key("-b64 -j8", "data.batch_size"), "64");
  EXPECT_EQ(value_of_key("-b=64", "data.batch_size"), "64");
  EXPECT_EQ(value_of_key("-vb 32", "data.eval_batch_size"), "32");
  expect_message(usage_error([] { of_timm("-bx"); }), {});
  expect_message(usage_error([] { of_timm("--amp=False"); }), {});
}

TEST(TimmWords, AConfigFileIsBelowTheCommand) {
  const TempFolder folder;
  const std::string file =
      folder.write("args.yaml", "epochs: 7\nlr: 0.25\nnew_word: 1\n");
  const Translation translation =
      of_timm("train.py /d --lr 0.5 --config " + file);
  EXPECT_EQ(value_in(translation, "run.epochs"), "7");
  EXPECT_EQ(value_in(translation, "optim.lr"), "0.5");
  ASSERT_EQ(translation.missing.size(), 1u);
  EXPECT_EQ(translation.missing[0].word, "new_word: 1");
  expect_message(
      usage_error([] { of_timm("-c no-such-file.yaml"); }),
      {"no-such-file.yaml"});
}

TEST(TimmWords, AMistypedWordOfAFileIsComparedWhole) {
  const TempFolder folder;
  const std::string file =
      folder.write("args.yaml", "epochs: 7\nbatch_sise: 8\n");
  const Translation translation = of_timm("--config " + file);
  ASSERT_EQ(translation.missing.size(), 1u);
  expect_message(translation.missing[0].text, {"'batch_size'"});
}

TEST(TimmWords, WordsOfTimm1031) {
  EXPECT_EQ(
      value_of_key("--loss bce --smoothing 0", "train.loss"),
      "binary_cross_entropy");
  EXPECT_EQ(
      value_of_key("--loss bce --loss-pos-weight 2", "train.bce_pos_weight"),
      "2.0");
  EXPECT_EQ(
      value_of_key("--loss jsd --aug-splits 3", "train.loss"),
      "jensen_shannon");
  for (const char* loss : {"asl", "poly", "twoway", "zlpr", "db"}) {
    EXPECT_THAT(
        missing_of(std::string("--loss ") + loss),
        ElementsAre(std::string("loss: ") + loss));
  }
  EXPECT_THAT(
      missing_of("--loss bce --loss-pos-weight neg_pos"),
      ElementsAre("loss_pos_weight: neg_pos"));
  EXPECT_THAT(missing_of("--task multilabel"), ElementsAre("task: multilabel"));
  EXPECT_THAT(missing_of("--loss ce --save-epochs 3 9"), IsEmpty());
  EXPECT_EQ(
      value_of_key("--stop-epoch 20 --epochs 90", "run.stop_after"), "20ep");
  EXPECT_EQ(
      value_of_key("--stop-epoch 90 --epochs 90", "run.stop_after"), "null");
  EXPECT_THAT(missing_of("--resume auto --experiment x"), IsEmpty());
  EXPECT_THAT(of_timm("--resume auto").idle, ElementsAre("resume"));
  EXPECT_THAT(missing_of("--resume a.pth"), ElementsAre("resume: a.pth"));
}

// wsd ends with a fifth of what follows the warm-up, unless it is said.
TEST(TimmWords, TheEndOfWsdAndRsqrt) {
  const std::string wsd = "--sched wsd --epochs 300 --warmup-epochs 10 ";
  EXPECT_EQ(value_of_key(wsd, "schedule.cooldown"), "58ep");
  EXPECT_EQ(value_of_key(wsd, "schedule.cooldown_shape"), "sqrt");
  EXPECT_EQ(
      value_of_key(wsd + "--decay-epochs 90", "schedule.cooldown"), "90ep");
  EXPECT_EQ(
      value_of_key(wsd + "--lr-decay-fn cosine", "schedule.cooldown_shape"),
      "cosine");
  EXPECT_EQ(
      value_of_key(wsd + "--lr-decay linear", "schedule.cooldown_shape"),
      "linear");
  EXPECT_THAT(
      missing_of(wsd + "--lr-decay-fn exp"), ElementsAre("lr_decay_fn: exp"));
  EXPECT_EQ(
      value_of_key(
          "--sched rsqrt --lr-stable-timescale 8", "schedule.timescale"),
      "8ep");
  EXPECT_EQ(value_of_key("--sched step", "schedule.step_every"), "90ep");
}

TEST(TimmWords, SchedulesThatTimmDoesNotMake) {
  const Translation none = of_timm("--sched none --lr 0.1 --epochs 10");
  EXPECT_THAT(none.missing, IsEmpty());
  EXPECT_EQ(value_in(none, "schedule.name"), "constant");
  EXPECT_EQ(value_in(none, "schedule.warmup"), "0ep");
  const Translation constant = of_timm("--sched constant --lr 0.1");
  EXPECT_EQ(value_in(constant, "schedule.warmup"), "5ep");
  for (const char* name : {"tanh", "cosin"}) {
    EXPECT_THAT(
        missing_of(std::string("--sched ") + name),
        ElementsAre(std::string("sched: ") + name));
  }
  // Rates of layers are the scheduler's.
  const Translation layers = of_timm("--sched none --layer-decay 0.7");
  EXPECT_EQ(value_in(layers, "optim.layer_decay"), "null");
  EXPECT_THAT(layers.idle, Contains("layer_decay"));
}

TEST(TimmWords, OptimizersThatAreNotThereAreLeftOut) {
  for (const char* name :
       {"kron", "adanw", "lambc", "cadanw", "radam", "madgrad", "csgdw"}) {
    EXPECT_THAT(
        missing_of(std::string("--opt ") + name),
        ElementsAre(std::string("opt: ") + name));
  }
  for (const char* name :
       {"AdamW",
        "fusedsgd",
        "fusedadam",
        "adamwlegacy",
        "clamb",
        "lookahead_adam"}) {
    EXPECT_THAT(missing_of(std::string("--opt ") + name), IsEmpty()) << name;
  }
  EXPECT_EQ(value_of_key("--opt fusedsgd", "optim.nesterov"), "true");
  EXPECT_THAT(of_timm("--opt sgd --opt-eps 1e-8").idle, Contains("opt_eps"));
  EXPECT_THAT(
      of_timm("--opt sgd --opt-betas 0.9 0.99").idle, Contains("opt_betas"));
}

// timm_defaults.inc: what timm's classes and weights say.
TEST(TimmWords, StochasticDepthOfAClassThatHasIt) {
  for (const char* name :
       {"swin_tiny_patch4_window7_224",
        "swinv2_tiny_window8_256",
        "swin_s3_small_224",
        "timm/swin_base_patch4_window7_224.ms_in22k"}) {
    const std::string model = std::string("--model ") + name;
    EXPECT_EQ(value_of_key(model, "model.drop_path"), "0.1") << name;
    EXPECT_EQ(value_of_key(model + " --drop-path 0", "model.drop_path"), "0.0");
    EXPECT_EQ(
        value_of_key(model + " --drop-path 0.3", "model.drop_path"), "0.3");
  }
  EXPECT_EQ(
      value_of_key("--model vit_tiny_patch16_224", "model.drop_path"), "0.0");
}

TEST(TimmWords, OutputsOfAModelWhoseClassesAreNotSaid) {
  const std::map<std::string, std::string> kOutputs{
      {"resnet50", "1000"},
      {"vit_base_patch16_224.augreg_in21k", "21843"},
      {"vit_base_patch16_224_miil", "11221"},
      {"vit_base_patch16_224_miil.in21k_ft_in1k", "1000"},
      {"swin_tiny_patch4_window7_224.ms_in22k", "21841"}};
  for (const auto& [name, outputs] : kOutputs) {
    EXPECT_EQ(value_of_key("--model " + name, "model.num_classes"), outputs);
    EXPECT_EQ(
        value_of_key("--num-classes 5 --model " + name, "model.num_classes"),
        "5");
  }
  EXPECT_THAT(
      missing_of("--model vit_small_patch14_dinov2"),
      Contains(StartsWith("num_classes")));
}

TEST(TimmWords, WithoutAugmentationTheWholeImageIsSquashed) {
  const Translation plain = of_timm("--no-aug --crop-pct 0.8");
  EXPECT_THAT(plain.missing, IsEmpty());
  EXPECT_EQ(value_in(plain, "data.augment.crop"), "squash");
  EXPECT_EQ(value_in(plain, "data.preprocess.crop_pct"), "0.8");
}

// Its loaders do not get the crop_mode of the weights, as validate.py's do.
TEST(TimmWords, TrainingEvaluatesTheCentre) {
  for (const char* name :
       {"vit_medium_patch16_gap_384", "efficientnet_b5", "resnet50"}) {
    const Translation translation = of_timm(std::string("--model ") + name);
    EXPECT_EQ(value_in(translation, "data.preprocess.crop_mode"), "center")
        << name;
  }
  EXPECT_EQ(
      value_of_key("--model efficientnet_b5", "data.preprocess.crop_pct"),
      "1.0");
}

TEST(TimmWords, AccumulationKeepsTheLastMicroBatches) {
  const Translation eight = of_timm("--grad-accum-steps 8");
  EXPECT_EQ(value_in(eight, "train.accumulate"), "8");
  EXPECT_EQ(value_in(eight, "data.sampler.last_batch"), "micro");
  for (const Translation& one : {eight, of_timm("")}) {
    EXPECT_EQ(value_in(one, "data.sampler.policy"), "torch");
    EXPECT_EQ(value_in(one, "data.sampler.drop_tail"), "false");
  }
  EXPECT_EQ(value_of_key("", "data.sampler.last_batch"), "drop");
}

TEST(TimmWords, WhatIsNotTranslatedIsMissing) {
  EXPECT_THAT(missing_of("--drop-block 0.2"), ElementsAre("drop_block: 0.2"));
  EXPECT_THAT(missing_of("--input-size 224"), ElementsAre("input_size: [224]"));
  // Parameters of absent features, and words that change no result.
  EXPECT_THAT(missing_of("--lr-noise-pct 0.5 --dataset-download"), IsEmpty());
}

TEST(TimmWords, WordsOfOtherProgramsAreSaidToBeTheirs) {
  const Translation translation = of_timm("--data-path /d --unscale-lr");
  ASSERT_EQ(translation.missing.size(), 2u);
  EXPECT_EQ(translation.missing[0].word, "--data-path /d");
  expect_message(translation.missing[0].text, {});
  expect_message(translation.missing[1].text, {});
}

TEST(TimmWords, OtherScriptsAreRefused) {
  const auto refusal = [](const Program& program, const std::string& command) {
    return usage_error([&] { read_words(program, split_command(command)); });
  };
  expect_message(
      refusal(timm(), "python main.py --model deit_small --data-path /d"), {});
  expect_message(
      refusal(timm(), "torchrun main.py --cfg swin.yaml --data-path /d"), {});
  expect_message(refusal(timm(), "python main.py -a resnet50 /d"), {"main.py"});
  expect_message(
      refusal(timm(), "python tools/train.py configs/resnet50.py"), {});
  expect_message(
      refusal(timm(), "validate.py /d --checkpoint a.pth"),
      {"-eval", "-pretrained"});
  expect_message(refusal(timm(), "mim train mmpretrain a.py"), {"a.py"});
  expect_message(
      refusal(torchvision(), "python main.py --data-path /d"), {"main.py"});
  // Their names have "train" in them, too.
  for (const char* script : {"train_quantization.py", "run_pretraining.py"}) {
    EXPECT_THAT(
        refusal(torchvision(), std::string("python ") + script + " --lr 1"),
        HasSubstr(script));
  }
  for (const char* script :
       {"train.py",
        "timm/train.py",
        "./distributed_train.sh 4",
        "python -m timm.train",
        "torchrun --nproc_per_node=4 my_train.py"}) {
    EXPECT_EQ(
        of_timm(std::string(script) + " /d --epochs 3").recipe.run.epochs, 3)
        << script;
  }
  const TempFolder folder;
  const std::string yaml = folder.write("swin.yaml", "MODEL: {TYPE: swin}\n");
  expect_message(usage_error([&] { read_words(timm(), yaml); }), {"swin.yaml"});
}

TEST(TimmWords, OfValidationAndOfOtherTrainersHaveAnswers) {
  const std::map<std::string, std::string> kAnswers{
      {"checkpoint", "-pretrained a.pth"},
      {"use_ema", "model.pretrained_part"},
      {"topk", "-top N"},
      {"results_file", "-csv FILE"},
      {"num_gpu", "-ngpus N"},
      {"valid_labels", "eval.subset"},
      {"crop_mode", "data.preprocess.crop_mode"},
      {"cfg_options", "-set KEY=VALUE"},
      {"opts", "-set KEY=VALUE"}};
  for (const auto& [word, here] : kAnswers) {
    EXPECT_THAT(answer(word, {"a.pth"}), HasSubstr(here)) << word;
  }
}

} // namespace
} // namespace vitrain::config::foreign
