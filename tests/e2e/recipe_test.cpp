// Everything that is wrong with a recipe at once, with file and line.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "program.h"

namespace vitrain::e2e {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

constexpr const char* kShapes =
    "data: {train: {kind: shapes}, eval: {kind: shapes}}\n";

class RecipeProblems : public testing::Test {
 protected:
  std::string write(const std::string& name, const std::string& text) {
    std::ofstream(folder_ / name, std::ios::binary) << text;
    return (folder_ / name).native();
  }
  // Returns the message for a refused recipe, equal in `config check` and a
  // run.
  std::string refusal(std::vector<std::string> arguments) {
    arguments.insert(arguments.end(), {"-devices", "cpu:2"});
    const Result runs = run(arguments, 20);
    EXPECT_EQ(runs.exit_code, 2) << runs.out << runs.err;
    arguments.insert(arguments.begin(), {"config", "check"});
    const Result checked = run(arguments, 20);
    EXPECT_EQ(checked.exit_code, 2) << checked.out << checked.err;
    EXPECT_EQ(checked.err, runs.err);
    return checked.err;
  }
  Result check(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), {"config", "check"});
    arguments.insert(arguments.end(), {"-devices", "cpu:2"});
    return run(arguments, 20);
  }

  TempFolder folder_;
};

TEST_F(RecipeProblems, OfAllStagesAreToldTogether) {
  const std::string file = write(
      "a.yaml",
      "model: {name: vit_bse_patch16_224, num_heads: 5}\n"
      "optim: {lrr: 1, nesterov: true, momentum: much, name: sgd}\n"
      "data:\n"
      "  train: {kind: folder}\n"
      "  eval: {kind: folder, path: /nowhere/val}\n"
      "schedule: {warmup: 900ep}\n");
  const std::string text = refusal({"-cfg", file});
  for (const char* part :
       {":1:15: model.name: unknown model 'vit_bse_patch16_224'. Did you mean "
        "'vit_base_patch16_224'",
        ":2:9: optim.lrr: unknown key",
        ":2:43: optim.momentum: expected",
        "data.train.path: kind folder needs the path",
        ":5:30: data.eval.path: /nowhere/val: no such file or folder",
        ":6:20: schedule.warmup: 900ep is more than run.epochs",
        "6 problems found",
        "Not checked: rules that depend on optim.momentum"}) {
    EXPECT_THAT(text, HasSubstr(part));
  }
  EXPECT_THAT(text, Not(HasSubstr("optim.nesterov:")));
}

TEST_F(RecipeProblems, OfTheModelNameFileAndLineOrTheOption) {
  write("base.yaml", "model: {name: vit_tiny_patch4_32}\n");
  const std::string file = write(
      "a.yaml",
      "base: base.yaml\nmodel: {num_heads: 5}\n" + std::string(kShapes));
  EXPECT_THAT(
      refusal({"-cfg", file, "-image_size", "30", "-set", "model.in_chans=2"}),
      AllOf(
          HasSubstr(file + ":2:20: model.num_heads: embed_dim 192"),
          HasSubstr("-image_size: model.image_size: image_size 30 is not a "
                    "multiple of the patch size 4"),
          HasSubstr("-set #1: model.in_chans: in_chans is 2")));
  write("base.yaml", "model: {name: vit_bse_patch4_32}\n");
  EXPECT_THAT(
      refusal({"-cfg", file}),
      HasSubstr("base.yaml:1:15: model.name: unknown model"));
}

// The content of unreadable files is unknown.
TEST_F(RecipeProblems, WithoutABaseAreThoseOfTheFileItself) {
  const std::string file =
      write("a.yaml", "base: gone.yaml\nmodel: {name: vit_bse_patch16_224}\n");
  EXPECT_THAT(
      refusal({"-cfg", file}),
      AllOf(
          HasSubstr(":1:7: base: "),
          HasSubstr(":2:15: model.name: unknown model"),
          HasSubstr("2 problems found"),
          HasSubstr("Not checked: rules that depend on keys whose values are "
                    "not known"),
          Not(HasSubstr("data.train.path"))));
}

TEST_F(RecipeProblems, OfPaddleVitFilesToo) {
  const std::string file = write(
      "a.yaml",
      "DATA:\n"
      "  IMAGE_SIZE: 30\n"
      "  DATA_PATH: /nowhere\n"
      "MODEL: {TYPE: vit, PATCH_SIZE: 4, EMBED_DIM: 96, NUM_HEADS: 7}\n"
      "TRAIN: {BASE_RL: 1}\n");
  EXPECT_THAT(
      refusal({"-cfg", file}),
      AllOf(
          HasSubstr(":2:15: model.image_size: image_size 30"),
          HasSubstr("model.num_heads: embed_dim 96 is not a multiple of "
                    "num_heads 7"),
          HasSubstr("TRAIN.BASE_RL: unknown key"),
          HasSubstr("/nowhere/train_list.txt: no such file")));
}

TEST_F(RecipeProblems, AnotherFamilyIsChosenByItsNameAlone) {
  const std::string file = write(
      "a.yaml",
      "model: {name: vit_tiny_patch4_32, embed_dim: 96, depth: 3, num_heads: "
      "3, mlp_ratio: 2, drop_path: 0.1, dropout: 0.1}\n" +
          std::string(kShapes));
  for (const char* name : {"resnet18", "mlp", "linear"}) {
    const Result result =
        check({"-cfg", file, "-set", std::string("model.name=") + name});
    EXPECT_EQ(result.exit_code, 0) << result.err;
    EXPECT_THAT(
        result.err,
        AllOf(
            HasSubstr(
                file +
                ":1:46: model.embed_dim: has no effect: it was "
                "meant for vit_tiny_patch4_32, and model.name is"),
            HasSubstr("model.drop_path: has no effect"),
            HasSubstr("(-set #1)")));
  }
  // Asked for in one place, they contradict each other.
  EXPECT_THAT(
      refusal(
          {"-cfg",
           file,
           "-set",
           "model.name=resnet18",
           "-set",
           "model.num_heads=3"}),
      HasSubstr("-set #2: model.num_heads: resnet18 is of the family resnet"));
}

TEST_F(RecipeProblems, OfBothDatasetsAreToldTogether) {
  const std::string file = write(
      "a.yaml",
      "model: {name: resnet18}\n"
      "data:\n"
      "  train: {kind: folder, path: /nowhere/a}\n"
      "  eval: {kind: folder, path: /nowhere/b}\n");
  const Result result = run({"-cfg", file, "-devices", "cpu:2"}, 20);
  EXPECT_EQ(result.exit_code, 3);
  EXPECT_THAT(
      result.err, AllOf(HasSubstr("/nowhere/a"), HasSubstr("/nowhere/b")));
  const Result checked = check({"-cfg", file});
  EXPECT_EQ(checked.exit_code, 0) << checked.err;
  EXPECT_THAT(
      checked.err,
      HasSubstr(
          "note: " + file +
          ":3:31: data.train.path: /nowhere/a: no such file or folder"));
}

// A recipe for machines with GPUs is checked on one without.
TEST_F(RecipeProblems, OfMachinesWithoutGpusAreNotes) {
  const std::string file =
      write("a.yaml", std::string(kShapes) + "train: {precision: fp16}\n");
  const Result checked = run(
      vitrain(
          {"config", "check", "-cfg", file}, {{"CUDA_VISIBLE_DEVICES", ""}}),
      20);
  EXPECT_EQ(checked.exit_code, 0) << checked.err;
  EXPECT_THAT(
      checked.err, AllOf(HasSubstr("note:"), HasSubstr("train.precision")));
  EXPECT_EQ(check({"-cfg", file}).exit_code, 2); // -devices cpu:2
}

// The output of `config from-...` is a recipe; missing requirements are
// reported.
TEST_F(RecipeProblems, TranslationsOfOthersArgumentsPassTheCheck) {
  const std::string file = (folder_ / "made.yaml").native();
  const Result made =
      run({"config",
           "from-timm",
           VITRAIN_SOURCE_DIR "/tests/golden/config/timm_args/deit_small.yaml",
           "-output",
           file},
          20);
  EXPECT_EQ(made.exit_code, 0) << made.err;
  EXPECT_EQ(made.out, file + "\n");
  const Result checked = check({"-cfg", file});
  EXPECT_EQ(checked.exit_code, 0) << checked.err;
  const Result unknown =
      run({"config", "from-torchvision", "--model maxvit_t --lr 0.01"}, 20);
  EXPECT_EQ(unknown.exit_code, 2);
  EXPECT_THAT(unknown.out, HasSubstr("lr: 0.01"));
  EXPECT_THAT(
      unknown.err,
      AllOf(
          HasSubstr("needs a change before it trains:\nmodel.name: unknown"),
          Not(HasSubstr("no such file"))));
}

TEST_F(RecipeProblems, TranslationsThatTrainSomethingElseEndWithTwo) {
  const auto translate = [](std::vector<std::string> words) {
    words.insert(words.begin(), {"config", "from-timm"});
    return run(words, 20);
  };
  for (const char* words :
       {"--opt kron",
        "--sched tanh",
        "--drop-block 0.2",
        "--loss asl",
        "--cfg x"}) {
    const Result refused = translate({words});
    EXPECT_EQ(refused.exit_code, 2) << words;
    EXPECT_THAT(
        refused.err,
        AllOf(HasSubstr("left out: "), HasSubstr("-allow_left_out")))
        << words;
    const Result taken = translate({"-allow_left_out", words});
    EXPECT_EQ(taken.exit_code, 0) << words << ": " << taken.err;
    EXPECT_EQ(taken.out, refused.out) << words;
  }
  // Whatever devices this machine has.
  for (const char* words :
       {"--amp --lr 0.1",
        "--amp --amp-dtype bfloat16",
        "--jsd --aug-splits 3"}) {
    const Result made = translate({words});
    EXPECT_EQ(made.exit_code, 0) << words << ": " << made.err;
  }
  const Result other = translate({"python main.py --model deit_small"});
  EXPECT_EQ(other.exit_code, 2);
  EXPECT_EQ(other.out, "");
}

} // namespace
} // namespace vitrain::e2e
