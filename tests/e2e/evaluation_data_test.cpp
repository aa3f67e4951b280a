// Evaluation data in the real binary: held-out parts, some classes of a model,
// ReaL labels, multi-label data.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>

#include <fmt/format.h>

#include "core/text.h"
#include "program.h"

namespace vitrain::e2e {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

// Writes `count` images of each of the classes "a", "b" and "c", with names of
// ImageNet's validation images in ascending order.
void write_images(const fs::path& folder, int count) {
  const std::string image =
      slurp(VITRAIN_SOURCE_DIR "/tests/golden/image/files/rgb_420.jpg");
  int number = 0;
  for (const char* name : {"a", "b", "c"}) {
    fs::create_directories(folder / name);
    for (int i = 0; i < count; ++i) {
      std::ofstream(
          folder / name / fmt::format("ILSVRC2012_val_{:08d}.JPEG", ++number))
          << image;
    }
  }
}

Options on_folder(const fs::path& data, const Words& set) {
  return {
      .set = set, .more = {"-dataset", "folder", "-data_path", data.native()}};
}

const Words kShort{"run.epochs=1", "schedule.warmup=1st", "data.batch_size=4"};

// The last evaluation of a run.
Json evaluation(const fs::path& run) {
  return records(run, "eval").back();
}

TEST(EvaluationData, SplitHoldsOutTheSameForARunItsResumeAndItsEvaluation) {
  const TempFolder folder;
  write_images(folder / "data/train", 20);
  Options options = on_folder(
      folder / "data",
      {"data.split=0.2",
       "data.batch_mode=global",
       "data.batch_size=8",
       "run.epochs=2",
       "schedule.warmup=1st",
       "checkpoint.every=3st",
       "checkpoint.keep_last=20"});
  options.devices = "cpu:2";
  const fs::path run = train(folder / "one", options);
  const std::string held_out = slurp(run / "held_out.txt");
  EXPECT_EQ(std::ranges::count(held_out, '\n'), 12);
  EXPECT_EQ(records(run, "start").front().at("train_samples"), 48);
  EXPECT_EQ(evaluation(run).at("count"), 12);
  const fs::path part = resume_copy(run, folder / "part", options, 3);
  expect_same_training(run, part);
  EXPECT_EQ(slurp(part / "held_out.txt"), held_out);
  // By the run's config alone, on another number of workers.
  Words words{
      "-cfg",
      (run / "config.yaml").native(),
      "-eval",
      "-pretrained",
      checkpoint(run, 12).native(),
      "-set",
      "devices.count=1",
      "-set",
      "run.output=" + (folder / "eval").native()};
  const Result again = vitrain::e2e::run(words);
  ASSERT_EQ(again.exit_code, 0) << again.err;
  EXPECT_THAT(
      again.out,
      HasSubstr("12 images held out of the training data (0.2 of each"));
  const Json evaluated = evaluation(newest_run(folder / "eval"));
  EXPECT_EQ(evaluated.at("count"), 12);
  EXPECT_EQ(evaluated.at("loss"), evaluation(run).at("loss"));
  // Others have been trained on.
  words.insert(words.end(), {"-set", "data.split_seed=5"});
  const Result other = vitrain::e2e::run(words);
  EXPECT_EQ(other.exit_code, 3);
  EXPECT_THAT(
      other.err, HasSubstr("the weights were trained with some of them"));
}

// The list had the subset only, and the whole was accused of other samples.
TEST(EvaluationData, WhatIsHeldOutIsListedWholeWhereverPartIsEvaluated) {
  const TempFolder folder;
  write_images(folder / "data/train", 10);
  Options options = on_folder(
      folder / "data",
      {"data.split=0.3",
       "data.batch_size=4",
       "run.epochs=1",
       "schedule.warmup=1st",
       "eval.subset=" + folder.write("subset.txt", "c\nb\n").native()});
  options.devices = "cpu:1";
  const fs::path run = train(folder / "one", options);
  EXPECT_EQ(evaluation(run).at("count"), 6);
  const std::string held_out = slurp(run / "held_out.txt");
  EXPECT_EQ(std::ranges::count(held_out, '\n'), 9);
  const auto evaluate = [&](const Words& more) {
    Words words{
        "-cfg",
        (run / "config.yaml").native(),
        "-eval",
        "-pretrained",
        run.native(),
        "-set",
        "run.output=" + (folder / "eval").native()};
    words.insert(words.end(), more.begin(), more.end());
    const Result result = vitrain::e2e::run(words);
    EXPECT_EQ(result.exit_code, 0) << result.err;
    return evaluation(newest_run(folder / "eval"));
  };
  EXPECT_EQ(evaluate({}).at("loss"), evaluation(run).at("loss"));
  EXPECT_EQ(evaluate({"-set", "eval.subset=null"}).at("count"), 9);
}

TEST(EvaluationData, SubsetAndRealLabelsAreCountedAlikeByAnyWorkers) {
  const TempFolder folder;
  write_images(folder / "data/train", 8);
  write_images(folder / "data/val", 5);
  Options options = on_folder(folder / "data", kShort);
  options.devices = "cpu:1";
  const fs::path run = train(folder / "one", options);
  // Data with two classes of the three, as ImageNet-A has 200 of 1,000.
  fs::remove_all(folder / "data/val/a");
  Json real = Json::array();
  for (int i = 0; i < 15; ++i) {
    real.push_back(i % 5 == 0 ? Json::array() : Json::array({1, 2}));
  }
  const fs::path json = folder.write("real.json", real.dump());
  const fs::path list = folder.write("subset.txt", "c\nb\n");
  Json first;
  for (const char* workers : {"1", "3"}) {
    const Result result = vitrain::e2e::run(
        {"-cfg",
         (run / "config.yaml").native(),
         "-eval",
         "-pretrained",
         run.native(),
         "-set",
         std::string("devices.count=") + workers,
         "-set",
         "eval.subset=" + list.native(),
         "-set",
         "eval.real_labels=" + json.native(),
         "-set",
         "run.output=" + (folder / "eval").native()});
    ASSERT_EQ(result.exit_code, 0) << result.err;
    EXPECT_THAT(result.out, HasSubstr("10 images, 2 of 3 classes, folder"));
    EXPECT_THAT(result.out, HasSubstr("eval of 2 classes  top1 50.00 %"));
    EXPECT_THAT(result.out, HasSubstr("real_top1 100.00 % (of 8)"));
    const fs::path evaluated = newest_run(folder / "eval");
    Json record = evaluation(evaluated);
    EXPECT_EQ(record.at("real_correct"), 8);
    EXPECT_EQ(record.at("subset"), 2);
    record.erase("seconds");
    EXPECT_EQ(first.is_null() ? record : first, record);
    first = record;
    const std::string table = slurp(evaluated / "evaluation/per_class.csv");
    EXPECT_EQ(std::ranges::count(table, '\n'), 3) << table;
    EXPECT_THAT(table, HasSubstr("\nb,5,"));
    fs::remove_all(folder / "eval");
  }
}

TEST(EvaluationData, MayHaveFewerClassesThanTheNetworkPredicts) {
  const TempFolder folder;
  write_images(folder / "data/train", 8);
  write_images(folder / "data/val", 5);
  Options options = on_folder(folder / "data", kShort);
  options.devices = "cpu:1";
  // Weights of 40 outputs that have learned nothing of the data's three
  // classes.
  options.set.insert(
      options.set.end(), {"model.num_classes=40", "optim.lr=1e-9"});
  const fs::path run = train(folder / "one", options);
  const std::string learned = slurp(run / "evaluation/per_class.csv");
  EXPECT_EQ(std::ranges::count(learned, '\n'), 41) << learned;
  EXPECT_THAT(learned, HasSubstr("\nb,5,"));
  EXPECT_THAT(learned, HasSubstr("\n39,0,"));
  const Result again = vitrain::e2e::run(
      {"-cfg",
       (run / "config.yaml").native(),
       "-eval",
       "-pretrained",
       run.native(),
       "-set",
       "run.output=" + (folder / "eval").native()});
  ASSERT_EQ(again.exit_code, 0) << again.err;
  const fs::path evaluated = newest_run(folder / "eval") / "evaluation";
  EXPECT_EQ(slurp(evaluated / "per_class.csv"), learned);
}

TEST(EvaluationData, ListsOfLabelsAreJudgedByAveragePrecision) {
  const TempFolder folder;
  write_images(folder / "data", 8);
  std::string lines;
  for (int i = 1; i <= 24; ++i) {
    lines += fmt::format(
        "{}/ILSVRC2012_val_{:08d}.JPEG {}\n",
        "abc"[(i - 1) / 8],
        i,
        i % 5 == 0       ? "-"
            : i % 2 == 0 ? "0,2"
                         : "1");
  }
  folder.write("data/train_list.txt", lines);
  folder.write("data/val_list.txt", lines);
  Options options{
      .devices = "cpu:2",
      .set = kShort,
      .more = {"-dataset", "list", "-data_path", (folder / "data").native()}};
  for (const char* set :
       {"data.train.multi_label=true",
        "data.eval.multi_label=true",
        "train.loss=binary_cross_entropy",
        "checkpoint.metric=map",
        // Rounding of an image may depend on its position in the batch.
        "data.batch_size=1"}) {
    options.set.emplace_back(set);
  }
  const fs::path run = train(folder / "one", options);
  const Json record = evaluation(run);
  EXPECT_EQ(record.at("count"), 24);
  EXPECT_FALSE(record.contains("top1"));
  EXPECT_GT(record.at("map").get<double>(), 0.0);
  EXPECT_THAT(slurp(run / "summary.csv"), HasSubstr(",eval_map"));
  // All images are equal, so that scores are equal: the mean average precision
  // is the mean fraction of positive samples.
  EXPECT_NEAR(record.at("map").get<double>(), 100.0 * (10 + 10 + 10) / 72, 1.0);

  // Results per sample and class add up to the totals; an evaluation with one
  // worker gives the same.
  const auto rows_of = [](const fs::path& file) {
    std::vector<std::vector<std::string>> rows;
    for (const std::string& line : split(slurp(file), '\n')) {
      rows.push_back(split(line, ','));
    }
    rows.pop_back(); // after the last line end
    return rows;
  };
  const auto samples = rows_of(run / "evaluation/predictions.csv");
  ASSERT_EQ(samples.size(), 25U);
  double loss = 0.0;
  for (std::size_t i = 1; i < samples.size(); ++i) {
    loss += std::stod(samples[i].at(5)) / 24;
  }
  EXPECT_NEAR(loss, record.at("loss").get<double>(), 1e-6);
  // predict gives each class its own probability; classes above one half are
  // the evaluation's predictions.
  const auto table = folder / "predictions.csv";
  ASSERT_EQ(
      e2e::run(Words{
                   "predict",
                   folder / "data",
                   "-pretrained",
                   run,
                   "-csv",
                   table,
                   "-devices",
                   "cpu:1"})
          .exit_code,
      0);
  const auto predicted = rows_of(table);
  ASSERT_EQ(predicted.size(), 25U);
  for (std::size_t i = 1; i < predicted.size(); ++i) {
    std::vector<std::string> likely;
    for (std::size_t column = 1; column < 7; column += 2) {
      if (std::stod(predicted[i].at(column + 1)) > 0.5) {
        likely.push_back(predicted[i].at(column));
      }
    }
    std::ranges::sort(likely);
    EXPECT_EQ(join(likely, ";"), samples[i].at(2)) << i;
  }
  EXPECT_EQ(samples[1].at(1), "1"); // names are numbers, where nobody says more
  EXPECT_EQ(samples[2].at(1), "0;2");
  EXPECT_EQ(samples[5].at(1), "");
  const auto classes = rows_of(run / "evaluation/per_class.csv");
  ASSERT_EQ(classes.size(), 4U);
  double sum = 0.0;
  for (std::size_t i = 1; i < classes.size(); ++i) {
    EXPECT_EQ(classes[i].at(1), "10");
    sum += 100.0 * std::stod(classes[i].at(2)) / 3;
  }
  EXPECT_NEAR(sum, record.at("map").get<double>(), 1e-9);
  Options judged = options;
  judged.devices = "cpu:1";
  judged.evaluate = run;
  const fs::path evaluated = train(folder / "two", judged);
  for (const char* file : {"predictions.csv", "per_class.csv"}) {
    EXPECT_EQ(
        slurp(evaluated / "evaluation" / file),
        slurp(run / "evaluation" / file));
  }
}

} // namespace
} // namespace vitrain::e2e
