// Evaluation does to pixels what training did.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "program.h"

namespace vitrain::e2e {
namespace {

using testing::HasSubstr;
using testing::Not;

// files/tiny.yaml without its data.preprocess.
std::filesystem::path plain_config(const TempFolder& folder) {
  std::string text = slurp(kTiny);
  const std::string line = "  preprocess: {crop_pct: 1.0}\n";
  const std::size_t at = text.find(line);
  EXPECT_NE(at, std::string::npos);
  text.erase(at, line.size());
  return folder.write("plain.yaml", text);
}

Result evaluate(
    const std::filesystem::path& output,
    const std::filesystem::path& config,
    const std::filesystem::path& weights,
    const Options& more = {}) {
  return run(tiny_run(
      output,
      more.with({.config = config, .devices = "cpu:1", .evaluate = weights})));
}

TEST(Preprocess, IsThatOfTheCheckpoint) {
  const TempFolder folder;
  const auto trained = train(
      folder / "runs",
      {.devices = "cpu:1",
       .set = {
           "run.epochs=1",
           "data.preprocess.mean=[0.5, 0.4, 0.3]",
           "data.preprocess.interpolation=bilinear"}});
  const auto weights = checkpoint(trained, 40) / "model.safetensors";
  const auto config = plain_config(folder);
  // The result of training's own evaluation.
  const Json expected = records(trained, "eval").at(0).at("loss");
  const auto loss = [&](const char* name) {
    return records(newest_run(folder / name), "eval").at(0).at("loss");
  };

  const Result same = evaluate(folder / "same", config, trained);
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
  ASSERT_EQ(evaluate(folder / "copy", config, copied).exit_code, 0);
  EXPECT_EQ(loss("copy"), expected);

  // A value set by the user takes precedence, with a note.
  const Result other = evaluate(
      folder / "other",
      config,
      trained,
      {.set = {"data.preprocess.mean=[0.1, 0.1, 0.1]"}});
  ASSERT_EQ(other.exit_code, 0) << other.err;
  EXPECT_NE(loss("other"), expected);
  EXPECT_THAT(
      other.err,
      HasSubstr("data.preprocess.mean: [0.1, 0.1, 0.1] (-set #1), but "));
  EXPECT_THAT(other.err, HasSubstr("was trained with [0.5, 0.4, 0.3]"));

  // The run's own config says the same as its weights.
  const Result own = evaluate(folder / "own", trained / "config.yaml", trained);
  ASSERT_EQ(own.exit_code, 0) << own.err;
  EXPECT_EQ(loss("own"), expected);
  EXPECT_THAT(own.err, Not(HasSubstr("trained")));

  const Result classes = evaluate(
      folder / "classes",
      config,
      trained,
      {.set = {"data.eval.kind=random", "data.eval.classes=3"}});
  EXPECT_EQ(classes.exit_code, 3);
  EXPECT_THAT(classes.err, HasSubstr("data.eval has 3 classes, and "));

  // `best` and `latest` are links to a checkpoint.
  for (const char* name : {"best", "latest"}) {
    const Result named =
        evaluate(folder / name, config, trained / "checkpoints" / name);
    ASSERT_EQ(named.exit_code, 0) << named.err;
    EXPECT_EQ(loss(name), expected);
  }

  // Fine-tuning uses the preprocessing stored with the weights.
  const Result tuned = run(tiny_run(
      folder / "tuned",
      {.config = config,
       .devices = "cpu:1",
       .set = {"run.max_steps=1", "schedule.warmup=0st"},
       .more = {"-pretrained", trained}}));
  ASSERT_EQ(tuned.exit_code, 0) << tuned.err;
  EXPECT_THAT(tuned.err, HasSubstr("data.preprocess.crop_pct: 1.0, as "));
  EXPECT_THAT(
      slurp(newest_run(folder / "tuned") / "config.yaml"),
      HasSubstr("mean: [0.5, 0.4, 0.3]"));
  EXPECT_THAT(tuned.err, Not(HasSubstr("other numbers")));
}

} // namespace
} // namespace vitrain::e2e
