// Training, evaluation and prediction apply the preprocessing in the
// config.json of timm or transformers next to the weights.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "program.h"

namespace vitrain::e2e {
namespace {

namespace fs = std::filesystem;

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

constexpr const char* kTimm = R"({
  "architecture": "vit_tiny_patch16_224", "num_classes": 10,
  "pretrained_cfg": {"mean": [0.5, 0.4, 0.3], "std": [0.5, 0.5, 0.5],
    "crop_pct": 0.9, "interpolation": "bilinear", "input_size": [3, 16, 16]}})";

class Published : public testing::Test {
 protected:
  // Bare weights of a run of one epoch.
  void SetUp() override {
    const auto trained = e2e::train(
        folder_ / "runs", {.devices = "cpu:1", .set = {"run.epochs=1"}});
    weights_ = folder_.write(
        "hub/model.safetensors",
        bare_safetensors(slurp(checkpoint(trained, 40) / "model.safetensors")));
    std::string text = slurp(kTiny);
    const std::string line = "  preprocess: {crop_pct: 1.0}\n";
    text.erase(text.find(line), line.size());
    config_ = folder_.write("plain.yaml", text);
  }

  Result start(const std::string& output, const Options& options) const {
    return run(tiny_run(
        folder_ / output,
        options.with({.config = config_, .devices = "cpu:1"})));
  }
  Result evaluate(const std::string& output, const Options& options = {})
      const {
    return start(output, options.with({.evaluate = weights_}));
  }
  Json loss(const std::string& output) const {
    return records(newest_run(folder_ / output), "eval").at(0).at("loss");
  }
  std::string recipe(const std::string& output) const {
    return slurp(newest_run(folder_ / output) / "config.yaml");
  }

  TempFolder folder_;
  fs::path weights_;
  fs::path config_;
};

const auto kMeanLine = HasSubstr("data.preprocess.mean: [0.5, 0.4, 0.3], as ");
const Words kSame{
    "data.preprocess.mean=[0.5, 0.4, 0.3]",
    "data.preprocess.std=[0.5, 0.5, 0.5]",
    "data.preprocess.crop_pct=0.9",
    "data.preprocess.interpolation=bilinear"};

TEST_F(Published, ImagesAreThoseOfTheWeightsEverywhere) {
  ASSERT_EQ(evaluate("said", {.set = kSame}).exit_code, 0);
  ASSERT_EQ(evaluate("bare").exit_code, 0);
  EXPECT_NE(loss("bare"), loss("said"));

  folder_.write("hub/config.json", kTimm);
  const Result evaluated = evaluate("eval");
  ASSERT_EQ(evaluated.exit_code, 0) << evaluated.err;
  EXPECT_EQ(loss("eval"), loss("said"));
  EXPECT_THAT(
      evaluated.err,
      AllOf(
          kMeanLine,
          HasSubstr("data.preprocess.crop_pct: 0.9, as "),
          HasSubstr("hub/model.safetensors (by its config.json)")));

  // A key that the recipe sets has priority; a note reports the difference.
  const Result own =
      evaluate("own", {.set = {"data.preprocess.mean=[0.1, 0.1, 0.1]"}});
  ASSERT_EQ(own.exit_code, 0) << own.err;
  EXPECT_THAT(
      own.err,
      AllOf(
          HasSubstr("data.preprocess.mean: [0.1, 0.1, 0.1] (-set #1), but "),
          HasSubstr("data.preprocess.std: [0.5, 0.5, 0.5], as ")));
  EXPECT_THAT(recipe("own"), HasSubstr("mean: [0.1, 0.1, 0.1]"));

  // The folder means the file in it.
  const Options tuning{
      .set = {"run.max_steps=2", "schedule.warmup=0st"},
      .more = {"-pretrained", folder_ / "hub"}};
  const Result tuned = start("tuned", tuning);
  ASSERT_EQ(tuned.exit_code, 0) << tuned.err;
  EXPECT_THAT(tuned.err, kMeanLine);
  EXPECT_THAT(recipe("tuned"), HasSubstr("mean: [0.5, 0.4, 0.3]"));
  const Result dry = start("dry", tuning.with({.more = {"-dry_run"}}));
  EXPECT_EQ(dry.exit_code, 0) << dry.err;
  EXPECT_THAT(dry.out + dry.err, kMeanLine);
}

// A resumed run keeps the preprocessing, even if the weights were deleted.
TEST_F(Published, ARunThatIsContinuedKeepsItsImages) {
  folder_.write("hub/config.json", kTimm);
  const Options tuning{
      .set = {"run.max_steps=4", "checkpoint.every=2st", "schedule.warmup=0st"},
      .more = {"-pretrained", weights_}};
  const Result whole = start("tuned", tuning);
  ASSERT_EQ(whole.exit_code, 0) << whole.err;
  const fs::path run = newest_run(folder_ / "tuned");
  fs::remove_all(folder_ / "hub");
  fs::remove_all(run / "checkpoints/step-000000004");
  const Result resumed =
      start("tuned", tuning.with({.more = {"-resume", "auto"}}));
  EXPECT_EQ(resumed.exit_code, 0) << resumed.err;
  EXPECT_EQ(newest_run(folder_ / "tuned"), run);
  EXPECT_THAT(resumed.err, Not(HasSubstr("data.preprocess")));
  EXPECT_THAT(recipe("tuned"), HasSubstr("mean: [0.5, 0.4, 0.3]"));
}

TEST_F(Published, TransformersPreprocessorIsReadToo) {
  folder_.write(
      "hub/config.json",
      R"({"model_type": "vit", "architectures": ["ViTForImageClassification"],
          "image_size": 16})");
  folder_.write(
      "hub/preprocessor_config.json",
      R"({"image_processor_type": "ViTImageProcessor", "do_normalize": true,
          "do_resize": true, "image_mean": [0.5, 0.4, 0.3],
          "image_std": [0.5, 0.5, 0.5], "resample": 2,
          "size": {"height": 16, "width": 16}})");
  const Result evaluated = evaluate("eval");
  ASSERT_EQ(evaluated.exit_code, 0) << evaluated.err;
  EXPECT_THAT(
      evaluated.err,
      AllOf(kMeanLine, HasSubstr("data.preprocess.crop_mode: squash, as ")));
}

// Names for people and WordNet's numbers have nothing in common: the order
// counts. The same names in another order are other classes.
TEST_F(Published, ClassesAreComparedWhereTheirNamesCanBe) {
  const std::string start_of = R"({"architecture": "vit_tiny_patch16_224",
      "pretrained_cfg": {"crop_pct": 1.0}, "label_names": [)";
  Words names;
  for (int i = 0; i < 10; ++i) {
    const auto image = folder_ / ("data/c" + std::to_string(i) + "/a.jpg");
    fs::create_directories(image.parent_path());
    fs::copy(VITRAIN_SOURCE_DIR "/tests/golden/image/files/rgb_420.jpg", image);
    names.push_back("\"c" + std::to_string(9 - i) + "\"");
  }
  const auto with_names = [&](const Words& list) {
    std::string text = start_of;
    for (const std::string& name : list) {
      text += (text.ends_with('[') ? "" : ", ") + name;
    }
    folder_.write("hub/config.json", text + "]}");
    return evaluate(
        "eval",
        {.set = {
             "data.eval.kind=folder",
             "data.eval.path=" + (folder_ / "data").native()}});
  };
  const Result reversed = with_names(names);
  EXPECT_EQ(reversed.exit_code, 3) << reversed.err;
  EXPECT_THAT(reversed.err, HasSubstr("class 0 of data.eval is 'c0'"));
  Words words;
  for (int i = 0; i < 10; ++i) {
    words.push_back("\"animal " + std::to_string(i) + "\"");
  }
  const Result others = with_names(words);
  EXPECT_EQ(others.exit_code, 0) << others.err;
  EXPECT_THAT(others.err, HasSubstr("'animal 0'"));
}

TEST_F(Published, WrongWeightsAndWrongDataAreToldTogether) {
  folder_.write(
      "hub/model.safetensors", "\xff\xd8\xff\xe0" + std::string(99, 'x'));
  const Words no_data{
      "data.eval.kind=folder", "data.eval.path=/nowhere/at/all"};
  const Result both = evaluate("both", {.set = no_data});
  EXPECT_EQ(both.exit_code, 4) << both.err;
  EXPECT_THAT(both.err, AllOf(HasSubstr("JPEG"), HasSubstr("/nowhere/at/all")));
  fs::remove(weights_);
  const Result gone = evaluate("gone", {.set = no_data});
  EXPECT_EQ(gone.exit_code, 4) << gone.err;
  EXPECT_THAT(
      gone.err,
      AllOf(HasSubstr("hub/model.safetensors"), HasSubstr("/nowhere/at/all")));
  const Result address = start(
      "address",
      {.more = {"-pretrained", "https://example.org/a/resnet18.pth?x=1"}});
  EXPECT_EQ(address.exit_code, 4) << address.err;
  EXPECT_THAT(address.err, HasSubstr("curl -L -o resnet18.pth"));
}

// timm's config.json or model.name say the network; the data are options.
TEST_F(Published, EvaluationNeedsNoConfig) {
  for (int i = 0; i < 10; ++i) {
    const auto image = folder_ / ("images/val/" + std::to_string(i) + "/a.jpg");
    fs::create_directories(image.parent_path());
    fs::copy(VITRAIN_SOURCE_DIR "/tests/golden/image/files/rgb_420.jpg", image);
  }
  const Words common{
      "eval",
      "-pretrained",
      weights_,
      "-data_path",
      folder_ / "images",
      "-output",
      folder_ / "runs",
      "-devices",
      "cpu:1",
      "-set",
      "model.image_size=16",
      "-set",
      "model.patch_size=8",
      "-set",
      "model.embed_dim=32",
      "-set",
      "model.depth=2",
      "-set",
      "model.num_heads=2"};
  Words words = common;
  const Result nothing = run(words);
  EXPECT_EQ(nothing.exit_code, 2) << nothing.err;
  EXPECT_THAT(nothing.err, HasSubstr("model.name"));
  words.insert(words.end(), {"-set", "model.name=vit_tiny_patch16_224"});
  const Result named = run(words);
  EXPECT_EQ(named.exit_code, 0) << named.err;
  folder_.write("hub/config.json", kTimm);
  const Result published = run(common);
  EXPECT_EQ(published.exit_code, 0) << published.err;
  EXPECT_THAT(
      published.err, HasSubstr("model.name: vit_tiny_patch16_224, as "));
}

} // namespace
} // namespace vitrain::e2e
