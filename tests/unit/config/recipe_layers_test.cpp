#include "config/load/recipe_layers.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "config/load_recipe.h"
#include "support.h"
#include "support/messages.h"

namespace vitrain::config {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

class Layers : public ::testing::Test {
 protected:
  Loaded load_file(
      const std::string& name,
      std::vector<Override> overrides = {}) {
    return load(
        {.file = folder_.path() / name, .overrides = std::move(overrides)});
  }
  std::string refusal(
      const std::string& name,
      std::vector<Override> overrides = {}) {
    return usage_error([&] { load_file(name, std::move(overrides)); });
  }
  // "a.yaml" as messages name it.
  std::string shown(const std::string& name) {
    return (folder_.path() / name).native();
  }

  TempFolder folder_;
};

TEST_F(Layers, LaterOnesWinKeyByKey) {
  folder_.write("base/a.yaml", "optim: {lr: 1, eps: 1}\nrun: {seed: 1}\n");
  folder_.write(
      "base/b.yaml", "optim: {lr: 2, betas: [0.1, 0.2], weight_decay: 2}\n");
  folder_.write(
      "main.yaml",
      "base: [base/a.yaml, base/b.yaml]\n"
      "optim: {betas: [0.3, 0.4], weight_decay: 3}\n");
  const Loaded loaded =
      load_file("main.yaml", {{"optim.weight_decay", "4", "-set #1"}});
  const OptimConfig& optim = loaded.recipe.optim;
  EXPECT_EQ(loaded.recipe.run.seed, 1); // first base
  EXPECT_EQ(optim.eps, 1.0); // first base, second has none
  EXPECT_EQ(optim.lr, 2.0); // second base
  EXPECT_EQ(optim.betas.value()[0], 0.3); // the file; lists replace
  EXPECT_EQ(optim.weight_decay, 4.0); // override
  EXPECT_EQ(optim.momentum, std::nullopt); // default
  EXPECT_EQ(
      loaded.origins.at("run.seed").text(), shown("base/a.yaml") + ":2:13");
  EXPECT_EQ(
      loaded.origins.at("optim.lr").text(), shown("base/b.yaml") + ":1:13");
  EXPECT_EQ(loaded.origins.at("optim.weight_decay").text(), "-set #1");
  EXPECT_FALSE(loaded.origins.contains("optim.momentum"));
}

TEST_F(Layers, BasesAreRelativeToTheFileThatNamesThem) {
  folder_.write("x/y/inner.yaml", "run: {seed: 5}\n");
  folder_.write("x/outer.yaml", "base: y/inner.yaml\n");
  folder_.write("main.yaml", "base: x/outer.yaml\n");
  EXPECT_EQ(load_file("main.yaml").recipe.run.seed, 5);
}

TEST_F(Layers, OneBaseTwiceIsNoCycle) {
  folder_.write("a.yaml", "run: {seed: 1}\n");
  folder_.write("b.yaml", "base: a.yaml\n");
  folder_.write("main.yaml", "base: [a.yaml, b.yaml]\n");
  EXPECT_EQ(load_file("main.yaml").recipe.run.seed, 1);
}

TEST_F(Layers, ChangingTheOptimizerKeepsItsOtherKeys) {
  folder_.write("a.yaml", "optim: {name: sgd, lr: 0.5, momentum: 0.8}\n");
  folder_.write("main.yaml", "base: a.yaml\noptim: {name: adamw}\n");
  const OptimConfig optim = load_file("main.yaml").recipe.optim;
  EXPECT_EQ(optim.name, OptimKind::kAdamW);
  EXPECT_EQ(optim.lr, 0.5);
  EXPECT_EQ(optim.momentum, 0.8);
}

TEST_F(Layers, CycleNamesItsChain) {
  folder_.write("a.yaml", "base: b.yaml\n");
  folder_.write("b.yaml", "base: [c.yaml]\n");
  folder_.write("c.yaml", "base: ./a.yaml\n");
  EXPECT_THAT(
      refusal("a.yaml"),
      StartsWith(
          shown("c.yaml") + ":1:7: base: files include one another: " +
          shown("a.yaml") + " -> " + shown("b.yaml") + " -> " +
          shown("c.yaml") + " -> " + shown("a.yaml") + "\n"));
}

TEST_F(Layers, SelfCycleThroughALinkIsFound) {
  folder_.write("a.yaml", "base: b.yaml\n");
  std::filesystem::create_symlink("a.yaml", folder_.path() / "b.yaml");
  expect_message(refusal("a.yaml"), {});
}

TEST_F(Layers, ChainsAndFansAreBounded) {
  for (int i = 0; i < 20; ++i) {
    const std::string next = std::to_string(i + 1) + ".yaml";
    folder_.write(
        std::to_string(i) + ".yaml", "base: [" + next + ", " + next + "]\n");
  }
  folder_.write("20.yaml", "run: {seed: 1}\n");
  expect_message(refusal("0.yaml"), {"16"});
  expect_message(refusal("8.yaml"), {"100"});
}

TEST_F(Layers, SixteenLevelsAreRead) {
  for (int i = 0; i < 15; ++i) {
    folder_.write(
        std::to_string(i) + ".yaml",
        "base: " + std::to_string(i + 1) + ".yaml\n");
  }
  folder_.write("15.yaml", "run: {seed: 1}\n");
  EXPECT_EQ(load_file("0.yaml").recipe.run.seed, 1);
  folder_.write("main.yaml", "base: 0.yaml\n");
  expect_message(refusal("main.yaml"), {"16"});
}

TEST_F(Layers, ProblemsOfAllFilesAndOptionsAreReportedAtOnce) {
  folder_.write("base.yaml", "run: {seed: x}\n");
  folder_.write(
      "main.yaml",
      "base: [base.yaml, qqqqqqqq.yaml, 3]\noptim: {lr: y}\nrun: {sed: 1}\n");
  const std::string main = shown("main.yaml");
  EXPECT_EQ(
      refusal(
          "main.yaml",
          {{"optim.eps", "z", "-set #1"},
           {"data.batch_size", "q", "-batch_size", Override::Form::kPlain}}),
      main + ":1:19: base: " + shown("qqqqqqqq.yaml") +
          ": No such file or directory\n" + main +
          ":1:34: base: " + shown("3") + ": No such file or directory\n" +
          main + ":2:13: optim.lr: expected number >= 0, got y\n" + main +
          ":3:7: run.sed: unknown key. Did you mean run.seed?\n" +
          shown("base.yaml") +
          ":1:13: run.seed: expected integer >= 0, got x\n"
          "-set #1: optim.eps: expected number > 0 or auto, got z\n"
          "-batch_size: data.batch_size: expected integer in [1, 1048576], got "
          "q\n"
          "7 problems found; nothing was started.");
}

TEST_F(Layers, BaseIsANameOrAListOfNames) {
  for (const char* base : {"{a: b}", "~", "[[a.yaml]]", "\"\"", "[~]"}) {
    folder_.write("main.yaml", std::string("base: ") + base + "\n");
    EXPECT_THAT(
        refusal("main.yaml"),
        HasSubstr("base: expected a file name or a list of file names, got"))
        << base;
  }
  folder_.write("main.yaml", "base: []\nrun: {seed: 2}\n");
  EXPECT_EQ(load_file("main.yaml").recipe.run.seed, 2);
}

TEST_F(Layers, BrokenBaseIsReportedInItsOwnFile) {
  folder_.write("base.yaml", "- 1\n");
  folder_.write("main.yaml", "base: base.yaml\n");
  EXPECT_THAT(
      refusal("main.yaml"),
      StartsWith(shown("base.yaml") + ":1:1: expected keys such as `model:`"));
}

// Torture row 32.
TEST(Overrides, AreReadLikeTheFile) {
  const Recipe recipe = recipe_with(
      {"optim.lr=1e-2",
       "optim.betas=[0.5, 0.25]",
       "optim.no_decay=[]",
       "run.max_steps=null",
       "model.num_classes=auto",
       "schedule.warmup=10st",
       "run.output=\"a: b\"",
       "model.pretrained=w=1.safetensors"});
  EXPECT_EQ(recipe.optim.lr, 0.01);
  EXPECT_EQ(recipe.optim.betas.value()[1], 0.25);
  EXPECT_TRUE(recipe.optim.no_decay.empty());
  EXPECT_EQ(recipe.schedule.warmup.text(), "10st");
  EXPECT_EQ(recipe.run.output, "a: b");
  EXPECT_EQ(recipe.model.pretrained, "w=1.safetensors");
}

TEST(Overrides, RefuseWhatTheFileRefuses) {
  const auto refusal = [](const std::string& set) {
    return usage_error([&] { recipe_with({set}); });
  };
  expect_message(refusal("optim.lrr=1"), {"-set", "optim.lrr=1"});
  expect_message(refusal("lr=1"), {"optim.lr"});
  expect_message(refusal("optim.lr=abc"), {"optim.lr", "0"});
  expect_message(refusal("optim.lr="), {"optim.lr", "0"});
  expect_message(refusal("optim.lr='1'"), {});
  expect_message(refusal("optim.lr=[1"), {"1"});
  expect_message(refusal("data.batch_size=1,000"), {"1,000"});
  expect_message(refusal("optim.lr=*x"), {});
  expect_message(refusal("optim.lr={a: 1}"), {});
  expect_message(refusal("optim={lr: 1}"), {});
  expect_message(refusal("train.ema=1"), {"train.ema"});
  expect_message(refusal("base=a.yaml"), {});
  expect_message(refusal("run.output=a\x1b"), {});
}

// So that a script's own -set stands before its caller's: script.sh "$@".
TEST(Overrides, TheLastOneOfAKeyWins) {
  EXPECT_EQ(recipe_with({"optim.lr=1", "optim.lr=2"}).optim.lr, 2.0);
  EXPECT_EQ(
      recipe_with({"train.accumulate=3", "train.accumulate=1"})
          .train.accumulate,
      1);
}

TEST(Overrides, AnEarlierMistakeIsNotHiddenByALaterValue) {
  expect_message(
      usage_error([] {
        recipe_with({"optim.lr=fast", "optim.lr=2"});
      }),
      {"optim.lr"});
}

TEST(Overrides, PlainTextIsNeverReadAsYaml) {
  const auto load_plain = [](const char* key, const char* value) {
    return load({.overrides = {{key, value, "-x", Override::Form::kPlain}}})
        .recipe;
  };
  for (const char* path : {"null", "~", "a: [b", "#x", " a ", "010", "'q'"}) {
    EXPECT_EQ(load_plain("model.pretrained", path).model.pretrained, path);
    EXPECT_EQ(load_plain("run.output", path).run.output, path);
  }
  expect_message(
      usage_error([&] { load_plain("run.output", "a\xff"); }), {"8"});
}

TEST(Overrides, ListsAreSplitAtCommas) {
  const auto ids = [](const char* value) {
    return load({.overrides =
                     {{"devices.ids", value, "-gpus", Override::Form::kList}}})
        .recipe.devices.ids;
  };
  EXPECT_EQ(ids("0,2"), (std::vector<std::string>{"0", "2"}));
  EXPECT_EQ(
      ids("GPU-ab, MIG-3"), (std::vector<std::string>{"GPU-ab", "MIG-3"}));
  EXPECT_TRUE(ids("").empty());
  expect_message(usage_error([&] { ids("0,,2"); }), {});
}

class DataPath : public ::testing::Test {
 protected:
  DataConfig data(const std::string& path, std::vector<std::string> sets = {}) {
    LoadRequest request{.data_path = path};
    int number = 0;
    for (const std::string& set : sets) {
      const std::size_t equals = set.find('=');
      request.overrides.push_back(
          {set.substr(0, equals),
           set.substr(equals + 1),
           "-set #" + std::to_string(++number),
           Override::Form::kYaml,
           Origin::kSet});
    }
    return load(request).recipe.data;
  }

  TempFolder folder_;
};

TEST_F(DataPath, FolderHasTrainAndValOrTest) {
  const std::string root = folder_.path().native();
  EXPECT_EQ(data(root).train.path, root + "/train");
  EXPECT_EQ(data(root).eval.path, root + "/val"); // which is then missing
  std::filesystem::create_directory(folder_.path() / "test");
  EXPECT_EQ(data(root).eval.path, root + "/test");
  std::filesystem::create_directory(folder_.path() / "val");
  EXPECT_EQ(data(root).eval.path, root + "/val");
}

TEST_F(DataPath, TarIsAFileOrAFolderOfThem) {
  const std::string root = folder_.path().native();
  const std::vector<std::string> tar = {
      "data.train.kind=tar", "data.eval.kind=tar"};
  EXPECT_EQ(data(root, tar).train.path, root + "/train");
  EXPECT_EQ(data(root, tar).eval.path, root + "/val");
  std::ofstream(folder_.path() / "train.tar") << "";
  std::ofstream(folder_.path() / "test.tar") << "";
  EXPECT_EQ(data(root, tar).eval.path, root + "/test.tar");
  std::ofstream(folder_.path() / "val.tar") << "";
  EXPECT_EQ(data(root, tar).train.path, root + "/train.tar");
  EXPECT_EQ(data(root, tar).eval.path, root + "/val.tar");
}

TEST_F(DataPath, ListIsATableWhereThereIsOnlyThat) {
  const std::string root = folder_.path().native();
  const std::vector<std::string> list = {
      "data.train.kind=list", "data.eval.kind=list"};
  EXPECT_EQ(data(root, list).train.path, root + "/train_list.txt");
  std::ofstream(folder_.path() / "train.csv") << "";
  EXPECT_EQ(data(root, list).train.path, root + "/train.csv");
  EXPECT_EQ(data(root, list).eval.path, root + "/val_list.txt");
  std::ofstream(folder_.path() / "train_list.txt") << "";
  EXPECT_EQ(data(root, list).train.path, root + "/train_list.txt");
}

TEST_F(DataPath, CifarIsOneFolder) {
  const DataConfig config =
      data("c", {"data.train.kind=cifar", "data.eval.kind=cifar"});
  EXPECT_EQ(config.train.path, "c");
  EXPECT_EQ(config.eval.path, "c");
}

// A path that ends in /train.
TEST_F(DataPath, MayNameTheTrainingData) {
  const std::string root = folder_.path().native();
  std::filesystem::create_directories(folder_.path() / "train/a");
  std::filesystem::create_directories(folder_.path() / "test/a");
  for (const char* end : {"/train", "/train/", "/x/../train", "/./train//"}) {
    const DataConfig config = data(root + end);
    EXPECT_EQ(config.train.path, root + "/train") << end;
    EXPECT_EQ(config.eval.path, root + "/test") << end;
  }
  const Loaded loaded = load({.data_path = root + "/train"});
  EXPECT_THAT(loaded.notes, testing::ElementsAre(HasSubstr("-data_path: ")));
  std::ofstream(folder_.path() / "train_list.txt") << "";
  EXPECT_EQ(
      data(
          root + "/train_list.txt",
          {"data.train.kind=list", "data.eval.kind=list"})
          .eval.path,
      root + "/val_list.txt");
  // The named file is used even if the folder has another one.
  std::ofstream(folder_.path() / "train.csv") << "";
  EXPECT_EQ(
      data(root + "/train.csv", {"data.train.kind=list", "data.eval.kind=list"})
          .train.path,
      root + "/train.csv");
  // A folder that has one called train is meant itself.
  std::filesystem::create_directories(folder_.path() / "train/train");
  EXPECT_EQ(data(root + "/train").train.path, root + "/train/train");
  EXPECT_EQ(data("no/train").train.path, "no/train/train");
}

TEST_F(DataPath, OfASplitIsTheTrainingData) {
  const std::string root = folder_.path().native();
  std::filesystem::create_directories(folder_.path() / "train/val");
  const DataConfig config = data(root, {"data.split=0.1"});
  EXPECT_EQ(config.train.path, root + "/train");
  EXPECT_EQ(config.eval.path, root + "/train");
  // Class folders themselves.
  EXPECT_EQ(
      data(root + "/train", {"data.split=0.1"}).train.path, root + "/train");
  const DataConfig list = data(
      root,
      {"data.split=0.1", "data.train.kind=list", "data.train.class_map=c.txt"});
  EXPECT_EQ(list.eval.kind, SourceKind::kList);
  EXPECT_EQ(list.eval.path, root + "/train_list.txt");
  EXPECT_EQ(list.eval.class_map, "c.txt");
  EXPECT_EQ(
      data(root, {"data.split=0.1", "data.eval.path=mine"}).eval.path, "mine");
}

TEST_F(DataPath, YieldsToSet) {
  const DataConfig config = data("c", {"data.eval.path=mine"});
  EXPECT_EQ(config.train.path, "c/train");
  EXPECT_EQ(config.eval.path, "mine");
}

TEST_F(DataPath, HasNoMeaningForGeneratedImages) {
  expect_message(
      usage_error([&] {
        data("c", {"data.train.kind=shapes", "data.eval.kind=shapes"});
      }),
      {"-data_path", "data.train.kind"});
}

// Passwords are neither taken nor repeated, wherever a URL stands.
TEST_F(Layers, UserInformationInUrlsIsRefusedWithoutRepeatingIt) {
  const auto check = [](const std::string& message, const char* key) {
    EXPECT_THAT(
        message,
        ::testing::AllOf(
            HasSubstr(key),
            HasSubstr("user information"),
            ::testing::Not(HasSubstr("s3cret"))));
    return message;
  };
  const std::string mlflow = "log.mlflow";
  for (const char* url :
       {"http://me:s3cret@host:5000",
        "https://s3cret@host",
        "http://me:s3cret/x@host",
        "http://me:a s3cret@host",
        "me:s3cret@host:5000"}) {
    folder_.write("a.yaml", "log: {mlflow: \"" + std::string(url) + "\"}\n");
    expect_message(check(refusal("a.yaml"), "a.yaml:1:15: log.mlflow"), {});
    folder_.write("b.yaml", "{}\n");
    check(refusal("b.yaml", {{mlflow, url, "-set #1"}}), "-set #1: log.mlflow");
  }
  folder_.write("a.yaml", "run: {output: \"http://me:s3cret@host/runs\"}\n");
  check(refusal("a.yaml"), "run.output");
  folder_.write("a.yaml", "log: {mlflow: \"http://host/a@b\"}\n");
  EXPECT_EQ(load_file("a.yaml").recipe.log.mlflow, "http://host/a@b");
}

// Records of older versions are still read.
TEST_F(Layers, UserInformationOfRecordsIsLeftOut) {
  folder_.write("a.yaml", "log: {mlflow: \"http://me:s3cret@host:5000\"}\n");
  const Loaded loaded =
      load({.file = folder_.path() / "a.yaml", .is_record = true});
  EXPECT_EQ(loaded.recipe.log.mlflow, "http://host:5000");
  ASSERT_EQ(loaded.notes.size(), 1u);
  EXPECT_THAT(
      loaded.notes[0],
      ::testing::AllOf(
          HasSubstr("a.yaml"),
          HasSubstr("MLFLOW_TRACKING_PASSWORD"),
          ::testing::Not(HasSubstr("s3cret"))));
}

} // namespace
} // namespace vitrain::config
