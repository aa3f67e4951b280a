// Mistakes of users: the right exit code, and a message that is understandable
// without the source.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <utility>

#include "program.h"

namespace vitrain::e2e {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

struct Mistake {
  const char* name;
  Options options; // of a tiny run
  int exit_code;
  std::vector<const char*> words;
};

// ctest names its entries after this.
void PrintTo(const Mistake& mistake, std::ostream* out) {
  *out << mistake.name;
}

class Mistakes : public testing::TestWithParam<Mistake> {};

TEST_P(Mistakes, AreExplained) {
  const TempFolder folder;
  const Result result = run(tiny_run(folder / "runs", GetParam().options), 30);
  EXPECT_EQ(result.exit_code, GetParam().exit_code) << result.err;
  for (const char* word : GetParam().words) {
    EXPECT_THAT(result.err, HasSubstr(word));
  }
  EXPECT_FALSE(std::filesystem::exists(folder / "runs"));
}

INSTANTIATE_TEST_SUITE_P(
    All,
    Mistakes,
    testing::Values(
        Mistake{
            "UnknownOption",
            {.more = {"-batchsize", "4"}},
            2,
            {"batch_size"}},
        Mistake{
            "UnknownKey",
            {.set = {"optim.weigth_decay=0"}},
            2,
            {"optim.weight_decay"}},
        Mistake{
            "WrongType",
            {.set = {"optim.lr=fast"}},
            2,
            {"optim.lr", "fast"}},
        Mistake{
            "OutOfRange",
            {.set = {"model.drop_path=1"}},
            2,
            {"model.drop_path"}},
        Mistake{
            "UnknownModel",
            {.set = {"model.name=vit_tiny"}},
            2,
            {"vit_tiny_patch16_224"}},
        Mistake{
            "PatchDoesNotDivide",
            {.set = {"model.patch_size=7"}},
            2,
            {"7", "16"}},
        Mistake{
            "WarmupTooLong",
            {.set = {"schedule.warmup=9ep"}},
            2,
            {"schedule.warmup"}},
        Mistake{
            "MissingFolder",
            {.set =
                 {"data.train.kind=folder", "data.train.path=/no/such/folder"}},
            3,
            {"/no/such/folder"}},
        Mistake{
            "NoFolderGiven",
            {.set = {"data.train.kind=folder"}},
            2,
            {"data.train.path"}},
        Mistake{"TooFewSamples", {.set = {"data.train.count=5"}}, 2, {"5"}},
        Mistake{"NoGpu", {.devices = "cuda:7"}, 2, {"CUDA"}},
        Mistake{
            "NcclOnCpu",
            {.set = {"dist.backend=nccl"}},
            2,
            {"dist.backend"}},
        Mistake{
            "LaterFeature",
            {.set = {"eval.weights=ema"}},
            2,
            {"eval.weights", "not available"}},
        Mistake{
            "NoSuchConfig",
            {.config = "/no/such.yaml"},
            2,
            {"/no/such.yaml"}},
        Mistake{
            "FewerClasses",
            {.set = {"model.num_classes=3"}},
            2,
            {"model.num_classes", "10"}}),
    [](const auto& mistake) { return mistake.param.name; });

// Training on something else without a word is the worst answer.
TEST(Devices, WhoAsksForGpusGetsThemOrIsToldWhyNot) {
  const TempFolder folder;
  const auto with = [&](const std::string& visible, const Options& more) {
    const Options options = more.with({.more = {"-dry_run"}});
    return run(
        vitrain(
            tiny_run(folder / "runs", options),
            {{"CUDA_VISIBLE_DEVICES", visible}}),
        30);
  };
  const std::string none_has_so_many = "97,98,99,100";
  const std::string explained =
      run(vitrain({"devices"}, {{"CUDA_VISIBLE_DEVICES", none_has_so_many}}))
          .out;
  const std::string last_line = explained.substr(
      explained.rfind('\n', explained.size() - 2) + 1,
      explained.size() - explained.rfind('\n', explained.size() - 2) - 2);
  for (const Options& more : std::vector<Options>{
           {}, {.more = {"-np", "2"}}, {.more = {"-ngpus", "2"}}}) {
    const Result result = with(none_has_so_many, more);
    EXPECT_EQ(result.exit_code, 2);
    EXPECT_THAT(result.err, HasSubstr(last_line));
    EXPECT_THAT(result.err, HasSubstr("-devices cpu"));
  }
  EXPECT_EQ(with(none_has_so_many, {.devices = "cpu"}).exit_code, 0);
  for (const char* none : {"", "-1", "NoDevFiles"}) {
    const Result result = with(none, {});
    EXPECT_EQ(result.exit_code, 0) << result.err;
    const bool one_core = explained.find(" 1 core ") != std::string::npos;
    EXPECT_THAT(
        result.out, HasSubstr(one_core ? "1 CPU worker " : "2 CPU workers "));
  }
  EXPECT_THAT(with("", {.devices = "cpu"}).out, HasSubstr("1 CPU worker "));
}

// The network has two blocks, of which the last is not among them.
TEST(Usage, RecomputeNamesABlockThatThereIs) {
  const TempFolder folder;
  for (const Words& more : {Words{"-dry_run"}, Words{}}) {
    const auto with = [&](const std::string& recompute) {
      return run(tiny_run(
          folder / "runs",
          {.devices = "cpu:1",
           .set =
               {"run.max_steps=1",
                "schedule.warmup=0st",
                "train.recompute=" + recompute},
           .more = more}));
    };
    EXPECT_EQ(with("1").exit_code, 0);
    const Result result = with("2");
    EXPECT_EQ(result.exit_code, 2) << result.out;
    EXPECT_THAT(
        result.err,
        HasSubstr("train.recompute: one of 2 blocks is computed again, and of "
                  "this network's 1 can be: set a number up to 1"));
  }
}

// Only a run said so.
TEST(Usage, ADryRunFindsWhatTheFirstStepWouldThrow) {
  const TempFolder folder;
  for (const Words& more : {Words{"-dry_run"}, Words{}}) {
    const auto with = [&](const Words& set) {
      const Result result = run(tiny_run(
          folder / "runs", {.devices = "cpu:1", .set = set, .more = more}));
      EXPECT_EQ(result.exit_code, 2) << result.out;
      return result.err;
    };
    EXPECT_THAT(
        with({"train.prune.amount=0.5", "train.prune.match=[norm]"}),
        HasSubstr("train.prune.match: [norm] is the name of no parameter"));
    EXPECT_THAT(
        with({"eval.tta=five_crop"}),
        HasSubstr("eval.tta: five_crop needs images that are larger"));
  }
}

// Before a run, and in it.
TEST(Usage, WhatNoDecayDoesNotNameIsTold) {
  const TempFolder folder;
  const Options options{
      .devices = "cpu:1",
      .set = {
          "run.max_steps=1",
          "schedule.warmup=0st",
          "optim.no_decay=[bias, pos_embd]"}};
  for (const Words& more : {Words{"-dry_run"}, Words{}}) {
    const Result result =
        run(tiny_run(folder / "runs", options.with({.more = more})));
    EXPECT_EQ(result.exit_code, 0) << result.err;
    EXPECT_THAT(
        result.out + result.err,
        HasSubstr("warning: optim.no_decay: of vit_tiny_patch16_224, no "
                  "parameter's name is pos_embd, or"));
  }
}

TEST(Usage, VersionAndHelp) {
  const Result version = run({"-version"});
  EXPECT_EQ(version.exit_code, 0);
  EXPECT_THAT(version.out, HasSubstr("torch 2.11.0"));
  EXPECT_THAT(version.out, HasSubstr("NCCL"));
  for (const char* verb : {"train", "eval", "config", "data", "devices"}) {
    const Result help = run({verb, "--help"});
    EXPECT_EQ(help.exit_code, 0) << verb;
    EXPECT_FALSE(help.out.empty());
  }
  const Result group = run({"config", "--help"});
  EXPECT_EQ(group.exit_code, 0);
  EXPECT_THAT(group.out, HasSubstr("\n  config from-timm "));
  EXPECT_THAT(group.out, Not(HasSubstr("data show")));
}

Result in_shell(const std::string& line) {
  return run(Command{{"bash", "-c", line, "bash", binary()}, {}}, 30);
}

TEST(Usage, AFullStandardOutputIsAFailure) {
  for (const std::string& verb : Words{
           "man", "config reference", "config show -cfg " + kTiny, "models"}) {
    const Result full = in_shell("\"$1\" " + verb + " >/dev/full");
    EXPECT_EQ(full.exit_code, 8) << verb;
    EXPECT_THAT(full.err, HasSubstr("the standard output cannot be written"))
        << verb;
  }
  // The exit code is that of the first problem.
  EXPECT_EQ(in_shell("\"$1\" config show -x >/dev/full").exit_code, 2);
}

TEST(Usage, WhoStopsToReadIsNoFailure) {
  const Result ignored = in_shell("trap '' PIPE; (sleep 0.2; \"$1\" config "
                                  "reference; echo \"$?\" >&2) | :");
  EXPECT_EQ(ignored.err, "0\n");
}

// Issue of a name that a family knows and whose numbers do not go together.
TEST(Usage, ModelsChecksTheNumbersOfAName) {
  const Result result = run({"models", "vit_tiny_patch16_225"});
  EXPECT_EQ(result.exit_code, 2) << result.err;
  EXPECT_THAT(result.err, HasSubstr("225"));
  EXPECT_THAT(result.err, Not(HasSubstr("c10::")));
}

TEST(Usage, ModelsSearchesWithinNames) {
  const Result tiny = run({"models", "tiny"});
  EXPECT_EQ(tiny.exit_code, 0) << tiny.err;
  EXPECT_THAT(tiny.out, HasSubstr("\nvit_tiny_patch4_32 "));
  EXPECT_THAT(tiny.out, HasSubstr("\nswin_tiny_patch4_window7_224 "));
  EXPECT_THAT(tiny.out, Not(HasSubstr("vit_small_patch16_224")));
  EXPECT_THAT(
      run({"models", "ResNet"}).out,
      AllOf(HasSubstr("\nresnet18 "), HasSubstr("\nwide_resnet50_2 ")));
  // A name is itself alone.
  EXPECT_THAT(
      run({"models", "resnet50"}).out, Not(HasSubstr("wide_resnet50_2")));
  const Result none = run({"models", "xyzzy"});
  EXPECT_EQ(none.exit_code, 2);
  EXPECT_THAT(none.err, HasSubstr("'xyzzy'"));
}

TEST(Usage, HelpIsAVerbToo) {
  EXPECT_EQ(run({"help"}).out, run({"--help"}).out);
  EXPECT_EQ(run({"help", "eval"}).out, run({"eval", "--help"}).out);
  EXPECT_EQ(run({"infer", "--help"}).out, run({"predict", "--help"}).out);
}

TEST(Usage, ConfigShowParsesBackToTheSameRecipe) {
  const TempFolder folder;
  const Result first = run(
      {"config",
       "show",
       "-cfg",
       VITRAIN_SOURCE_DIR "/configs/bench_vit_cifar.yaml",
       "-set",
       "data.train.path=/a",
       "-set",
       "data.eval.path=/b"});
  ASSERT_EQ(first.exit_code, 0) << first.err;
  std::ofstream(folder / "shown.yaml") << first.out;
  const Result second =
      run({"config", "show", "-cfg", (folder / "shown.yaml").native()});
  EXPECT_EQ(second.out, first.out);
}

TEST(Data, ACorruptImageEndsTheRunWithItsPath) {
  const TempFolder folder;
  const std::string good = VITRAIN_SOURCE_DIR "/tests/e2e/files/red.png";
  for (const char* split : {"train", "val"}) {
    for (const char* label : {"a", "b"}) {
      const auto target = folder / "data" / split / label;
      std::filesystem::create_directories(target);
      for (int i = 0; i < 8; ++i) {
        std::filesystem::copy(good, target / (std::to_string(i) + ".png"));
      }
    }
  }
  const Options folders{
      .devices = "cpu:2",
      .set = {
          "data.train.kind=folder",
          "data.train.path=" + (folder / "data/train").native(),
          "data.eval.kind=folder",
          "data.eval.path=" + (folder / "data/val").native(),
          "data.batch_size=4",
          "schedule.warmup=0st"}};
  train(folder / "runs", folders);
  std::ofstream(folder / "data/train/b/3.png") << "this is no picture";
  const Result result = run(tiny_run(folder / "runs", folders));
  EXPECT_EQ(result.exit_code, 3) << result.err;
  EXPECT_THAT(result.err, HasSubstr("b/3.png"));
}

// A link whose target cannot be examined, like a folder without permission
// (which root could read).
TEST(Data, WhatCannotBeLookedAtIsAnErrorOfTheData) {
  const TempFolder folder;
  const auto loop = folder / "loop";
  std::filesystem::create_symlink("loop", loop);
  std::filesystem::create_directory(folder / "cifar");
  std::filesystem::create_symlink(
      "cifar-10-batches-bin", folder / "cifar/cifar-10-batches-bin");
  for (const auto& [kind, path] :
       {std::pair("list", loop), std::pair("cifar", folder / "cifar")}) {
    const Result result = run(tiny_run(
        folder / "runs",
        {.set = {
             std::string("data.train.kind=") + kind,
             "data.train.path=" + path.native()}}));
    EXPECT_EQ(result.exit_code, 3) << kind << result.err;
    EXPECT_THAT(
        result.err,
        AllOf(
            HasSubstr(path.native()),
            HasSubstr("Too many levels of symbolic links")));
  }
}

} // namespace
} // namespace vitrain::e2e
