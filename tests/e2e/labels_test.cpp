// Interpretation of labels and data paths in the real binary.

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "core/text.h"
#include "program.h"

namespace vitrain::e2e {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::HasSubstr;

constexpr int kImages = 36;

// Images 0.jpg, 1.jpg, ... of three classes in turn.
class Labels : public testing::Test {
 protected:
  Labels() {
    const std::string image =
        slurp(VITRAIN_SOURCE_DIR "/tests/golden/image/files/rgb_420.jpg");
    for (int i = 0; i < kImages; ++i) {
      folder_.write(fmt::format("data/{}.jpg", i), image);
    }
  }

  // A list of the images from `first` on whose label is at least `least`;
  // `folder` stands before their names.
  void write_list(
      const std::string& name,
      char gap,
      int first,
      int least = 0,
      const std::string& folder = "") {
    std::string text;
    for (int i = first; i < kImages; ++i) {
      if (i % 3 >= least) {
        text += fmt::format("{}{}.jpg{}{}\n", folder, i, gap, i % 3);
      }
    }
    folder_.write("data/" + name, text);
  }

  Options options(const Words& set = {}) const {
    return Options{
        .devices = "cpu:1",
        .set =
            {"data.batch_mode=global",
             "data.batch_size=6",
             "schedule.name=constant",
             "schedule.warmup=0st",
             "run.epochs=1"},
        .more = {"-dataset", "list", "-data_path", folder_ / "data"}}
        .with({.devices = "cpu:1", .set = set});
  }
  static Json evaluation(const fs::path& run) {
    return records(run, "eval").back();
  }

  TempFolder folder_;
};

// 36 of 36 became 0 of 33 without the lines before the first 1.
TEST_F(Labels, OfATextListAreNumbersWhateverComesFirst) {
  folder_.write("data/classes.txt", "1\n2\n3\n");
  write_list("train_list.txt", ' ', 0);
  write_list("val_list.txt", ' ', 1);
  const fs::path run = train(folder_ / "whole", options());
  EXPECT_EQ(evaluation(run).at("count"), kImages - 1);
  // The images are equal: exactly one class is predicted correctly.
  EXPECT_GE(evaluation(run).at("correct1"), kImages / 3 - 1);
}

TEST_F(Labels, MeanInEvaluationWhatTheyMeanInTraining) {
  folder_.write("data/names.txt", "1\n2\n3\n");
  write_list("train.csv", ',', 1);
  write_list("val.csv", ',', 0, /*least=*/1); // could be names, too
  const Options numbers = options(
      {"data.train.class_map=names.txt", "data.eval.class_map=names.txt"});
  const fs::path run = train(folder_ / "runs", numbers);
  const fs::path weights = checkpoint(run, 5);
  const Result again = vitrain::e2e::run(tiny_run(
      folder_ / "again",
      numbers.with({.devices = "cpu:1", .evaluate = weights})));
  ASSERT_EQ(again.exit_code, 0) << again.err;
  const Json trained = evaluation(run);
  const Json alone = evaluation(newest_run(folder_ / "again"));
  EXPECT_EQ(alone.at("count"), 24);
  EXPECT_EQ(alone.at("count"), trained.at("count"));
  EXPECT_EQ(alone.at("correct1"), trained.at("correct1"));
  EXPECT_EQ(alone.at("loss"), trained.at("loss"));
}

TEST_F(Labels, OfAListWhoseDataMovedContinueByALink) {
  const fs::path old = folder_ / "data";
  write_list("train_list.txt", ' ', 0, 0, old.native() + "/");
  write_list("val_list.txt", ' ', 0, 0, old.native() + "/");
  const fs::path run = train(folder_ / "runs", options());
  const fs::path place = folder_ / "place";
  fs::rename(old, place);
  const auto resume = [&](const std::string& named) {
    write_list("train_list.txt", ' ', 0, 0, named + "/");
    write_list("val_list.txt", ' ', 0, 0, named + "/");
    fs::create_directories(place);
    for (const char* list : {"train_list.txt", "val_list.txt"}) {
      if (!fs::is_symlink(old)) {
        fs::rename(old / list, place / list);
      }
    }
    if (!fs::is_symlink(old)) {
      fs::remove_all(old);
    }
    Options moved = options({"run.epochs=2"});
    moved.more.back() = place.native();
    moved.resume = run;
    return vitrain::e2e::run(tiny_run(folder_ / "runs", moved));
  };
  const Result refused = resume(place.native());
  EXPECT_EQ(refused.exit_code, 2) << refused.err;
  EXPECT_THAT(
      refused.err,
      AllOf(
          HasSubstr("train_fingerprint"),
          HasSubstr("ln -s " + place.native() + " " + old.native())));
  fs::create_directory_symlink(place, old);
  const Result continued = resume(old.native());
  EXPECT_EQ(continued.exit_code, 0) << continued.err;
}

TEST_F(Labels, PathsThatAreMissingAreExplainedOnce) {
  folder_.write("flowers/train/a/1.jpg");
  const auto refusal = [&](const std::string& path) {
    Options given = options();
    given.more = {"-dataset", "folder", "-data_path", folder_ / path};
    const Result result = vitrain::e2e::run(tiny_run(folder_ / "runs", given));
    EXPECT_EQ(result.exit_code, 3) << result.err;
    return result.err;
  };
  const std::string typo = refusal("./x/../flowres/");
  const std::string root = folder_.path().native();
  const std::string part = root + " has no 'flowres'. Did you mean 'flowers'?";
  EXPECT_THAT(typo, HasSubstr(root + "/flowres/train: "));
  EXPECT_THAT(typo, HasSubstr(root + "/flowres/val: "));
  EXPECT_NE(typo.find(part), std::string::npos) << typo;
  EXPECT_EQ(typo.find(part), typo.rfind(part)) << typo;
  // Files of other keys, too.
  write_list("train_list.txt", ' ', 0);
  write_list("val_list.txt", ' ', 0);
  const std::string file = root + "/flowres/a.txt";
  for (const char* key :
       {"data.train.class_map",
        "eval.subset",
        "eval.real_labels",
        "data.sampler.weights",
        "model.pretrained"}) {
    Options given =
        options({"data.sampler.policy=weighted", key + ("=" + file)});
    const Result result = vitrain::e2e::run(tiny_run(folder_ / "runs", given));
    EXPECT_NE(result.exit_code, 0) << key;
    EXPECT_NE(result.err.find(part), std::string::npos) << result.err;
    EXPECT_EQ(result.err.find(part), result.err.rfind(part)) << result.err;
  }
  for (const Words& words :
       {Words{"-cfg", file},
        Words{"-resume", file},
        Words{"show", file},
        Words{"weights", "show", file},
        Words{"config", "from-timm", file}}) {
    EXPECT_THAT(vitrain::e2e::run(words).err, HasSubstr(part)) << words[0];
  }
  fs::remove(folder_ / "data/train_list.txt");
  EXPECT_THAT(refusal("data"), HasSubstr("has 36 images directly in it"));
  folder_.write("flowers/train/b/1.jpg");
  EXPECT_THAT(refusal("flowers"), HasSubstr("data.split=0.1"));
}

} // namespace
} // namespace vitrain::e2e
