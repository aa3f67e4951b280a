#include "report/runs/records.h"

#include <cmath>

#include <gmock/gmock.h>

#include "core/error.h"
#include "support.h"

namespace vitrain::report {
namespace {

using ::testing::ElementsAre;

Records read(const std::filesystem::path& file) {
  RecordReader reader(file);
  reader.update();
  return reader.records();
}

TEST(Records, CurvesAndEvaluations) {
  const TempFolder folder;
  const Records records = read(write_run(folder, "a") / "metrics.jsonl");
  EXPECT_EQ(records.step, 4);
  EXPECT_EQ(records.starts, 1);
  EXPECT_EQ(records.started_with("steps_per_epoch"), 2);
  EXPECT_EQ(records.started_with("version"), std::nullopt);
  const Curve* loss = records.curve("train.loss");
  ASSERT_NE(loss, nullptr);
  EXPECT_THAT(loss->steps, ElementsAre(1, 2, 4));
  EXPECT_THAT(loss->values, ElementsAre(2.5, 2.0, 1.0));
  ASSERT_NE(records.curve("eval.top1"), nullptr);
  EXPECT_THAT(records.curve("eval.top1")->values, ElementsAre(60, 55));
  EXPECT_EQ(records.curve("train.step"), nullptr);
  ASSERT_EQ(records.evaluations.size(), 2u);
  EXPECT_EQ(records.samples / records.sample_seconds, 128.0);
  EXPECT_EQ(records.seconds, 60.0); // as the process said
}

// Runs that are stopped between two reports.
TEST(Records, TheLastStepIsThatOfTheEnd) {
  const TempFolder folder;
  EXPECT_EQ(
      read(write_run(folder, "a", {}, done_line(7, 75)) / "metrics.jsonl").step,
      7);
}

TEST(Records, ATimeThatNobodySaidIsThatOfTheRecords) {
  const TempFolder folder;
  const Records records =
      read(write_run(folder, "a", {}, /*end=*/"") / "metrics.jsonl");
  EXPECT_EQ(records.seconds, 4 * 0.5 + 2 * 1.5);
  EXPECT_TRUE(records.done.is_null());
}

TEST(Records, GrowAsTheFileDoes) {
  const TempFolder folder;
  const std::string whole = start_line(2, 4) + train_line(1, 2.5);
  const std::string next = train_line(2, 2.0);
  RecordReader reader(folder / "metrics.jsonl");
  reader.update(); // not there yet
  EXPECT_TRUE(reader.records().curves.empty());
  folder.write("metrics.jsonl", whole + next.substr(0, 40));
  reader.update();
  EXPECT_EQ(reader.records().curve("train.loss")->size(), 1u);
  folder.write("metrics.jsonl", whole + next);
  reader.update();
  reader.update();
  EXPECT_EQ(reader.records().curve("train.loss")->size(), 2u);
  folder.write("metrics.jsonl", start_line(2, 4)); // begun anew
  reader.update();
  EXPECT_TRUE(reader.records().curves.empty());
  EXPECT_EQ(reader.records().starts, 1);
}

TEST(Records, AResumedRunAddsUp) {
  const TempFolder folder;
  const auto file = folder.write(
      "metrics.jsonl",
      start_line(2, 4) + train_line(2, 2.0) + done_line(2, 75) +
          R"({"kind":"start","resumed_step":2,"steps_per_epoch":2})"
          "\n" +
          train_line(4, 1.0));
  const Records records = read(file);
  EXPECT_EQ(records.starts, 2);
  EXPECT_EQ(records.seconds, 60 + 2 * 0.5);
  EXPECT_TRUE(records.done.is_null());
}

TEST(Records, WhatIsNoRecordIsPassedOver) {
  const TempFolder folder;
  const auto file = folder.write(
      "metrics.jsonl",
      "\n[1]\nnull\n{\"kind\":3}\n{\"kind\":\"train\"}\n"
      "{\"kind\":\"train\",\"step\":\"x\"}\n{\"kind\":\"eval\",\"step\":1}\n"
      "{\"step\":5,\"loss\":2,\"kind\":\"train\"}\n\xff\xfe{\n"
      "{\"kind\":\"train\",\"step\":6,\"loss\":\"nan\"}\n"
      "{\"kind\":\"eval\",\"step\":6,\"weights\":\"ema\",\"loss\":1}\n"
      "{\"kind\":\"eval\",\"step\":7,\"weights\":\"swa\",\"loss\":1}\n");
  const Records records = read(file);
  ASSERT_NE(records.curve("train.loss"), nullptr);
  EXPECT_THAT(records.curve("train.loss")->steps, ElementsAre(5));
  EXPECT_EQ(records.step, 6);
  EXPECT_EQ(records.curve("eval.loss"), nullptr);
  ASSERT_NE(records.curve("ema.loss"), nullptr);
  EXPECT_THAT(records.curve("ema.loss")->steps, ElementsAre(6));
}

TEST(Records, AFolderIsNoFile) {
  const TempFolder folder;
  RecordReader reader(folder.path());
  EXPECT_THROW(reader.update(), Error);
}

TEST(ThinnedCurve, KeepsEndsAndSpikes) {
  Curve curve;
  for (int i = 0; i < 10000; ++i) {
    curve.add(i, std::sin(i * 0.001));
  }
  curve.values[5003] = 100.0;
  curve.values[7001] = -100.0;
  const Curve few = thinned(curve, 200);
  EXPECT_LE(few.size(), 200u);
  EXPECT_GE(few.size(), 150u);
  EXPECT_EQ(few.steps.front(), 0);
  EXPECT_EQ(few.steps.back(), 9999);
  EXPECT_EQ(*std::ranges::max_element(few.values), 100.0);
  EXPECT_EQ(*std::ranges::min_element(few.values), -100.0);
  EXPECT_TRUE(std::ranges::is_sorted(few.steps));
  EXPECT_EQ(std::ranges::adjacent_find(few.steps), few.steps.end());
  EXPECT_EQ(thinned(curve, 10000).size(), 10000u);
}

} // namespace
} // namespace vitrain::report
