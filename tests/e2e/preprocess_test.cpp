// Evaluation does to pixels what training did.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "program.h"

namespace vitrain::e2e {
namespace {

using testing::HasSubstr;
using testing::Not;

// files/tiny.yaml without its data.preprocess.
std::string plain_config(const TempFolder& folder) {
  std::string text = slurp(VITRAIN_SOURCE_DIR "/tests/e2e/files/tiny.yaml");
  const std::string line = "  preprocess: {crop_pct: 1.0}\n";
  const std::size_t at = text.find(line);
  EXPECT_NE(at, std::string::npos);
  text.erase(at, line.size());
  const auto path = folder / "plain.yaml";
  std::ofstream(path) << text;
  return path.native();
}

Result evaluate(
    const std::filesystem::path& output,
    const std::string& config,
    const std::string& weights,
    const std::vector<std::string>& more = {}) {
  std::vector<std::string> all{
      "-eval",
      "-cfg",
      config,
      "-pretrained",
      weights,
      "-output",
      output.native(),
      "-devices",
      "cpu:1"};
  all.insert(all.end(), more.begin(), more.end());
  return run(all);
}

TEST(Preprocess, IsThatOfTheCheckpoint) {
  const TempFolder folder;
  ASSERT_EQ(
      run(tiny_run(
              folder / "runs",
              {"-devices",
               "cpu:1",
               "-set",
               "run.epochs=1",
               "-set",
               "data.preprocess.mean=[0.5, 0.4, 0.3]",
               "-set",
               "data.preprocess.interpolation=bilinear"}))
          .exit_code,
      0);
  const auto trained = newest_run(folder / "runs");
  const std::string weights =
      (trained / "checkpoints/step-000000040/model.safetensors").native();
  const std::string config = plain_config(folder);
  // What training itself has evaluated.
  const Json expected = records(trained, "eval").at(0).at("loss");
  const auto loss = [&](const char* name) {
    return records(newest_run(folder / name), "eval").at(0).at("loss");
  };

  const Result same = evaluate(folder / "same", config, trained.native());
  ASSERT_EQ(same.exit_code, 0) << same.err;
  EXPECT_EQ(loss("same"), expected);
  EXPECT_THAT(same.err, HasSubstr("data.preprocess.mean: [0.5, 0.4, 0.3], as"));
  EXPECT_THAT(same.err, HasSubstr("data.preprocess.crop_pct: 1.0, as"));
  EXPECT_THAT(
      slurp(newest_run(folder / "same") / "config.yaml"),
      HasSubstr("interpolation: bilinear"));

  // The file of the weights alone knows it, too.
  const auto copied = folder / "copied.safetensors";
  std::filesystem::copy(weights, copied);
  ASSERT_EQ(evaluate(folder / "copy", config, copied.native()).exit_code, 0);
  EXPECT_EQ(loss("copy"), expected);

  // What somebody sets wins, and is told.
  const Result other = evaluate(
      folder / "other",
      config,
      trained.native(),
      {"-set", "data.preprocess.mean=[0.1, 0.1, 0.1]"});
  ASSERT_EQ(other.exit_code, 0) << other.err;
  EXPECT_NE(loss("other"), expected);
  EXPECT_THAT(
      other.err,
      HasSubstr("data.preprocess.mean: [0.1, 0.1, 0.1] (-set #1), but "));
  EXPECT_THAT(other.err, HasSubstr("was trained with [0.5, 0.4, 0.3]"));

  // The run's own config says the same as its weights.
  const Result own = evaluate(
      folder / "own", (trained / "config.yaml").native(), trained.native());
  ASSERT_EQ(own.exit_code, 0) << own.err;
  EXPECT_EQ(loss("own"), expected);
  EXPECT_THAT(own.err, Not(HasSubstr("trained")));

  const Result classes = evaluate(
      folder / "classes",
      config,
      trained.native(),
      {"-set", "data.eval.kind=random", "-set", "data.eval.classes=3"});
  EXPECT_EQ(classes.exit_code, 3);
  EXPECT_THAT(classes.err, HasSubstr("data.eval has 3 classes, and "));

  // `best` and `latest` are files with the name of a checkpoint.
  for (const char* name : {"best", "latest"}) {
    const Result named = evaluate(
        folder / name, config, (trained / "checkpoints" / name).native());
    ASSERT_EQ(named.exit_code, 0) << named.err;
    EXPECT_EQ(loss(name), expected);
  }

  // Training from such weights says what it does differently.
  const Result tuned = run(
      {"-cfg",
       config,
       "-pretrained",
       trained.native(),
       "-output",
       (folder / "tuned").native(),
       "-devices",
       "cpu:1",
       "-set",
       "run.max_steps=1",
       "-set",
       "schedule.warmup=0st"});
  ASSERT_EQ(tuned.exit_code, 0) << tuned.err;
  EXPECT_THAT(
      tuned.err,
      HasSubstr("data.preprocess.crop_pct: 0.875 (the default), but "));
  EXPECT_THAT(tuned.err, Not(HasSubstr("other numbers")));
}

} // namespace
} // namespace vitrain::e2e
