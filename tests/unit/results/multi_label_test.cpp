#include "results/multi_label.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "support/files.h"

namespace vitrain::results {
namespace {

using testing::ElementsAre;

// Three samples of three classes, the last of which no sample has.
LabelListEvaluation few_lists() {
  LabelListEvaluation evaluation{
      .outcomes =
          {{.sample = 0, .labels = {0, 1}, .predicted = {1, 2}, .loss = 0.5F},
           {.sample = 1, .labels = {}, .predicted = {}, .loss = 0.25F},
           {.sample = 2,
            .labels = {1},
            .predicted = {},
            .loss = std::numeric_limits<float>::quiet_NaN()}},
      .names = {"cat", "dog, wild", "\"owl\""},
      .path = [](std::int64_t sample) {
        return std::to_string(sample) + ".jpg";
      }};
  count_classes(evaluation);
  evaluation.classes[0].average_precision = 0.25;
  evaluation.classes[1].average_precision = 0.75;
  return evaluation;
}

TEST(LabelLists, AreTables) {
  EXPECT_EQ(
      label_lists_csv(few_lists()),
      "path,labels,predicted,missed,wrong,loss\n"
      "0.jpg,\"cat;dog, wild\",\"dog, wild;\"\"owl\"\"\",cat,\"\"\"owl\"\"\","
      "0.5\n"
      "1.jpg,,,,,0.25\n"
      "2.jpg,\"dog, wild\",,\"dog, wild\",,\n");
  EXPECT_EQ(
      label_list_classes_csv(few_lists()),
      "class,count,average_precision,predicted,correct,precision,recall,f1\n"
      "cat,1,0.25,0,0,0,0,0\n"
      "\"dog, wild\",2,0.75,1,1,1,0.5,0.6666666666666666\n"
      "\"\"\"owl\"\"\",0,0,1,0,0,0,0\n");
}

TEST(LabelLists, AreToldInThreeLines) {
  EXPECT_THAT(
      summary_of(few_lists()),
      ElementsAre(
          std::pair(std::string("map"), std::string("33.33 % over 3 classes")),
          std::pair(
              std::string("worst"),
              std::string("cat 25.00 %, dog, wild 75.00 %")),
          std::pair(
              std::string("labels"),
              std::string("1 of 3 found, 1 of 2 predictions right"))));
}

TEST(LabelLists, ReplaceAFolder) {
  const TempFolder folder;
  folder.write("evaluation/mistakes.png", "of another evaluation");
  write_label_lists(folder / "evaluation", few_lists());
  EXPECT_EQ(
      slurp(folder / "evaluation/predictions.csv"),
      label_lists_csv(few_lists()));
  EXPECT_EQ(
      slurp(folder / "evaluation/per_class.csv"),
      label_list_classes_csv(few_lists()));
  EXPECT_FALSE(std::filesystem::exists(folder / "evaluation/mistakes.png"));
  EXPECT_FALSE(std::filesystem::exists(folder / "evaluation.part"));
}

} // namespace
} // namespace vitrain::results
