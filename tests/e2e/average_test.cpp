// The average of the weights, and what else a recipe trains with.

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "program.h"

namespace vitrain::e2e {
namespace {

using testing::HasSubstr;

Json evaluation_of(
    const std::filesystem::path& run,
    const std::string& weights) {
  const auto all = records(run, "eval");
  const auto found =
      std::find_if(all.rbegin(), all.rend(), [&](const Json& record) {
        return record.at("weights") == weights;
      });
  return found == all.rend() ? Json() : *found;
}

void expect_same_counts(const Json& one, const Json& other) {
  for (const char* key : {"loss", "correct1", "correct5", "count"}) {
    EXPECT_EQ(one.at(key), other.at(key)) << key;
  }
}

const Options kAveraged{
    .devices = "cpu:2",
    .set = {
        "run.max_steps=12",
        "checkpoint.every=6st",
        "eval.every=6st",
        "checkpoint.keep_last=9",
        "train.ema.decay=0.9",
        "train.ema.warm_up=true"}};

// A network with BatchNorm, whose statistics the workers have for themselves.
TEST(Average, IsEvaluatedSavedAndTakenBeforeTheWeights) {
  const TempFolder folder;
  const auto path = train(
      folder / "runs",
      kAveraged.with(
          {.config = kTinyResNet,
           .devices = "cpu:2",
           .set = {"run.epochs=12", "optim.lr=0.01"}}));
  const Json ema = evaluation_of(path, "ema");
  const Json raw = evaluation_of(path, "raw");
  ASSERT_TRUE(ema.is_object() && raw.is_object());
  EXPECT_NE(ema.at("loss"), raw.at("loss"));
  const std::string csv = slurp(path / "summary.csv");
  EXPECT_THAT(csv, HasSubstr(",ema_loss,ema_top1,ema_top5,"));
  const auto best = records(path, "done")[0].at("best");
  double highest = 0.0;
  for (const Json& record : records(path, "eval")) {
    if (record.at("weights") == "ema") {
      highest = std::max(highest, record.at("top1").get<double>());
    }
  }
  EXPECT_EQ(best.at("value"), highest);

  const auto last = checkpoint(path, 12);
  const auto averaged = train(
      folder / "ema",
      {.config = kTinyResNet, .devices = "cpu:1", .evaluate = last});
  expect_same_counts(records(averaged, "eval").back(), ema);
  const auto own = train(
      folder / "raw",
      {.config = kTinyResNet,
       .devices = "cpu:1",
       .set = {"model.pretrained_part=model"},
       .evaluate = last});
  expect_same_counts(records(own, "eval").back(), raw);
}

// Two epochs of three steps; with decay 0 the average equals the weights at its
// last update.
TEST(Average, CountedInEpochsIsUpdatedAfterTheirFirstSteps) {
  const TempFolder folder;
  const auto path = train(
      folder / "runs",
      {.config = kTinyResNet,
       .devices = "cpu:1",
       .set = {
           "run.epochs=2",
           "checkpoint.every=1st",
           "checkpoint.keep_last=9",
           "train.ema.decay=0",
           "train.ema.every=100",
           "train.ema.count=epoch"}});
  for (const auto& [step, updated] : {std::pair(3, 1), {4, 4}, {6, 4}}) {
    const auto average =
        read_tensors(checkpoint(path, step) / "ema.safetensors");
    const auto weights =
        read_tensors(checkpoint(path, updated) / "model.safetensors");
    for (const auto& [name, tensor] : average) {
      EXPECT_TRUE(
          name.ends_with("num_batches_tracked") ||
          tensor.bytes == weights.at(name).bytes)
          << name << " after step " << step;
    }
  }
}

TEST(Average, AResumedRunEqualsAnUninterruptedOne) {
  const TempFolder folder;
  const auto whole = train(folder / "whole", kAveraged);
  const Options divided =
      kAveraged.with({.devices = "cpu:2", .set = {"dist.zero1=true"}});
  const auto part = resume_copy(whole, folder / "part", divided, 6);
  expect_same_checkpoint(whole, part, 12);
  EXPECT_EQ(
      read_bytes(checkpoint(whole, 12) / "ema.safetensors"),
      read_bytes(checkpoint(part, 12) / "ema.safetensors"));
}

// Workers of local_sgd have different weights between averagings: the EMA is
// that of their mean, and equal on all.
TEST(Average, OfWeightsThatDifferIsThatOfTheirMean) {
  const TempFolder folder;
  const Options local = kAveraged.with(
      {.devices = "cpu:2",
       .set = {"dist.sync.mode=local_sgd", "dist.sync.period=4"}});
  const auto whole = train(folder / "whole", local);
  const auto part = resume_copy(whole, folder / "part", local, 6);
  EXPECT_EQ(
      read_bytes(checkpoint(whole, 12) / "ema.safetensors"),
      read_bytes(checkpoint(part, 12) / "ema.safetensors"));
}

// Stochastic weight averaging needs no decay.
TEST(Average, OfWeightsThatCountTheSameIsTheirMean) {
  const TempFolder folder;
  const auto path = train(
      folder / "runs",
      {.devices = "cpu:1",
       .set = {
           "run.max_steps=8",
           "checkpoint.every=2st",
           "checkpoint.keep_last=9",
           "schedule.warmup=0st",
           "train.ema.equal=true",
           "train.ema.start=2st",
           "train.ema.every=2"}});
  const auto averages = read_tensors(checkpoint(path, 8) / "ema.safetensors");
  std::vector<std::map<std::string, StoredTensor>> taken;
  for (const int step : {4, 6, 8}) {
    taken.push_back(read_tensors(checkpoint(path, step) / "model.safetensors"));
  }
  ASSERT_EQ(averages.size(), taken.front().size());
  for (const auto& [name, average] : averages) {
    const std::vector<float> values = average.floats();
    std::vector<double> sums(values.size(), 0.0);
    for (const auto& weights : taken) {
      const std::vector<float> step = weights.at(name).floats();
      for (std::size_t i = 0; i < sums.size(); ++i) {
        sums[i] += static_cast<double>(step.at(i));
      }
    }
    for (std::size_t i = 0; i < values.size(); ++i) {
      // Two roundings of numbers of this size.
      const double size = std::max(1e-3, std::abs(sums[i]));
      ASSERT_NEAR(values[i], sums[i] / 3.0, 4e-7 * size) << name;
    }
  }
}

// An evaluation is never better than one before it when nothing is learned.
Options idle(const Words& set) {
  Options options{
      .devices = "cpu:1",
      .set = {
          "checkpoint.every=5st",
          "checkpoint.keep_last=9",
          "optim.lr=0.0",
          "schedule.min_lr=0.0",
          "schedule.warmup=0st"}};
  options.set.insert(options.set.end(), set.begin(), set.end());
  return options;
}

TEST(Patience, EndsARunThatGetsNoBetter) {
  const TempFolder folder;
  const auto path = train(
      folder / "runs",
      idle({"run.max_steps=40", "run.patience=2", "eval.every=5st"}));
  EXPECT_EQ(steps_in_order(path), 15); // the first is the best
  EXPECT_EQ(records(path, "done")[0].at("exit"), 0);
  EXPECT_TRUE(std::filesystem::exists(checkpoint(path, 15)));
  // Files of the last evaluation exist, as after any run.
  EXPECT_TRUE(std::filesystem::exists(path / "evaluation" / "predictions.csv"));
}

// As in timm: else the rate falls before it has been at its peak.
TEST(Plateau, DoesNotCountTheWarmUp) {
  const TempFolder folder;
  const auto path = train(
      folder / "runs",
      {.devices = "cpu:1",
       .set = {
           "run.max_steps=24",
           "log.every=1",
           "eval.every=2st",
           "schedule.name=plateau",
           "schedule.patience=0",
           "schedule.threshold=0.5", // nothing is better
           "schedule.warmup=10st",
           "optim.lr=1e-3"}});
  std::vector<double> rates;
  for (const Json& record : records(path, "train")) {
    rates.push_back(record.at("lr"));
  }
  ASSERT_EQ(rates.size(), 24u);
  // The evaluation after step 12 is the first, and the best; that after step 14
  // is no better.
  for (std::size_t step = 11; step <= 14; ++step) {
    EXPECT_EQ(rates[step - 1], 1e-3) << step;
  }
  EXPECT_LT(rates[14], 1e-3);
}

// Evaluations after steps 5 (the best) and 10, and with another interval after
// 11 and 12.
TEST(Patience, CountsTheEvaluationsThatThereWere) {
  const TempFolder folder;
  const auto path =
      train(folder / "runs", idle({"run.max_steps=20", "eval.every=5st"}));
  const auto part = resume_copy(
      path,
      folder / "part",
      idle({"run.max_steps=20", "eval.every=1st", "run.patience=3"}),
      10);
  EXPECT_EQ(steps_in_order(part), 12);
}

// A share of 0.1 to 1 of one is less than any loss: it must not stay the best.
TEST(Best, IsOfTheMetricThatARunGoesOnWith) {
  const TempFolder folder;
  Options options{
      .devices = "cpu:1",
      .set = {
          "run.max_steps=20",
          "eval.every=5st",
          "checkpoint.every=5st",
          "checkpoint.keep_last=9",
          "schedule.warmup=0st"}};
  const auto path = train(folder / "runs", options);
  options.set.insert(
      options.set.end(), {"checkpoint.metric=loss", "checkpoint.keep_last=1"});
  const auto part = resume_copy(path, folder / "part", options, 10);
  std::map<double, std::int64_t> by_loss;
  for (const Json& one : records(part, "eval")) {
    if (one.at("step") > 10) {
      by_loss.emplace(one.at("loss"), one.at("step"));
    }
  }
  ASSERT_EQ(by_loss.size(), 2u);
  EXPECT_EQ(
      std::filesystem::read_symlink(part / "checkpoints/best"),
      fmt::format("step-{:09}", by_loss.begin()->second));
}

// Three steps of a network that a resnet18 teaches, which `folder` has trained;
// its share of the loss is all of it.
Options student(
    const TempFolder& folder,
    const std::string& name,
    const std::string& type) {
  const auto teacher =
      train(folder / "teacher", {.config = kTinyResNet, .devices = "cpu:1"});
  return {
      .config = kTinyResNet,
      .devices = "cpu:2",
      .set = {
          "run.max_steps=3",
          "run.epochs=3",
          "model.name=" + name,
          "train.distill.type=" + type,
          "train.distill.teacher=resnet18",
          "train.distill.alpha=1.0",
          fmt::format("train.distill.pretrained={}", teacher.native())}};
}

Options changed(const Options& options, const Words& set) {
  return options.with(
      {.config = options.config, .devices = options.devices, .set = set});
}

// A teacher of another family, with BatchNorm. Labels do not matter.
TEST(Distillation, ATeacherOfAnotherFamilyTeaches) {
  const TempFolder folder;
  const Options soft = changed(
      student(folder, "vit_tiny_patch16_224", "soft"),
      {"train.distill.temperature=2.0"});
  const Result result = run(tiny_run(folder / "runs", soft));
  ASSERT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr("soft distillation 1 from resnet18"));
  EXPECT_THAT(result.out, HasSubstr("teacher: loaded 122 tensors"));
  const auto taught = losses(newest_run(folder / "runs"));
  ASSERT_EQ(taught.size(), 3u);
  const auto other =
      train(folder / "other", changed(soft, {"train.label_smoothing=0.5"}));
  EXPECT_EQ(losses(other), taught);
}

// Before there is a run folder.
TEST(Distillation, ATeacherThatCannotTeachIsRefusedByItsKeys) {
  const TempFolder folder;
  const Options good = student(folder, "resnet18", "hard");
  const auto refusal = [&](const Words& set, int code, const Words& more = {}) {
    Options options = changed(good, set);
    options.more = more;
    const Result result = run(tiny_run(folder / "runs", options));
    EXPECT_EQ(result.exit_code, code) << result.err;
    EXPECT_FALSE(std::filesystem::exists(folder / "runs"));
    for (const char* other : {"model.pretrained", "model.name", "head_init"}) {
      EXPECT_THAT(result.err, testing::Not(HasSubstr(other)));
    }
    return result.err;
  };
  EXPECT_THAT(
      refusal({"train.distill.teacher=nosuch"}, 2),
      HasSubstr("train.distill.teacher: unknown model 'nosuch'"));
  EXPECT_THAT(
      refusal({"train.distill.pretrained=none.pth"}, 4),
      HasSubstr("none.pth: no such file or folder; train.distill.pretrained"));
  // It has learned other classes.
  EXPECT_THAT(
      refusal(
          {"data.train.kind=random",
           "data.train.classes=3",
           "data.eval.kind=random",
           "data.eval.classes=3"},
          3),
      HasSubstr("train.distill.pretrained: data.train has 3 classes, and "));
  // A file without a record says so itself.
  EXPECT_THAT(
      refusal(
          {"data.train.kind=random",
           "data.train.classes=3",
           "data.eval.kind=random",
           "data.eval.classes=3",
           "eval.check_classes=false"},
          4,
          {"-dry_run"}),
      HasSubstr("outputs, and the student 3: a teacher has the student's "
                "classes"));
  EXPECT_THAT(
      refusal({"train.distill.teacher=resnet34"}, 4, {"-dry_run"}),
      HasSubstr("is train.distill.teacher right?"));
}

TEST(Distillation, ATeacherThatSeesOtherNumbersIsTold) {
  const TempFolder folder;
  const Result result = run(tiny_run(
      folder / "runs",
      changed(
          student(folder, "resnet18", "hard"),
          {"data.preprocess.mean=[0.4, 0.4, 0.4]"})));
  ASSERT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(
      result.err,
      HasSubstr("warning: the teacher of train.distill sees images of other "
                "numbers than it has learned: data.preprocess.mean: "));
}

// The distillation head learns from the teacher and the class head from the
// labels: with no share left to these, they do not matter, and the class head
// stays as it was.
TEST(Distillation, ATeacherHasAHeadOfItsOwn) {
  const TempFolder folder;
  const Options hard = changed(
      student(folder, "deit_tiny_distilled_patch16_224", "hard"),
      {"optim.weight_decay=0"});
  const Result result = run(tiny_run(folder / "runs", hard));
  ASSERT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(
      result.out,
      HasSubstr("hard distillation 1 from resnet18 by its own head"));
  const auto path = newest_run(folder / "runs");
  const auto untrained = train(
      folder / "untrained",
      changed(
          hard, {"optim.lr=0", "schedule.min_lr=0", "schedule.warmup=0st"}));
  const auto before =
      read_tensors(checkpoint(untrained, 3) / "model.safetensors");
  const auto after = read_tensors(checkpoint(path, 3) / "model.safetensors");
  const auto moved = [&](const char* name) {
    return before.at(name).bytes != after.at(name).bytes;
  };
  EXPECT_FALSE(moved("head.weight"));
  EXPECT_TRUE(moved("head_dist.weight"));
  EXPECT_TRUE(moved("dist_token"));
}

} // namespace
} // namespace vitrain::e2e
