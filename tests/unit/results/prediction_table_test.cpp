#include "results/prediction_table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace vitrain::results {
namespace {

using testing::HasSubstr;

const std::vector<std::string> kClasses{"cat", "dog", "a very long name of it"};
const Prediction kPrediction{
    .top = {{2, 0.9F}, {0, 0.07F}, {1, 0.03F}},
    .problem = ""};

TEST(PredictionTable, HasColumnsInAFile) {
  const PredictionTable table(
      kClasses, {.images = 9, .path_columns = 6, .top = 2});
  EXPECT_EQ(
      table.row("a.jpg", {.top = {{0, 1.0F}, {1, 0.0F}}, .problem = ""}),
      "a.jpg   cat                     100.0 %  dog                       0.0 "
      "%\n");
  EXPECT_EQ(
      table.row("b.jpg", {.top = {}, .problem = "is text"}),
      "b.jpg   is text\n");
}

TEST(PredictionTable, FitsATerminal) {
  const PredictionTable table(
      kClasses,
      {.images = 9,
       .path_columns = 70,
       .top = 3,
       .narrow = true,
       .style = {.unicode = true, .columns = 72}});
  const std::string row = table.row(std::string(66, 'a') + ".jpg", kPrediction);
  EXPECT_LE(logging::display_width(row), 72) << row;
  EXPECT_THAT(row, HasSubstr("\u2026aaa"));
  EXPECT_THAT(row, HasSubstr("aaa.jpg  a very long name of it   90.0 %"));
}

TEST(PredictionTable, GivesFewImagesABlock) {
  const PredictionTable table(
      kClasses, {.images = 1, .top = 3, .narrow = true});
  const std::string block = table.row("a.jpg", kPrediction);
  EXPECT_EQ(std::ranges::count(block, '\n'), 4);
  EXPECT_THAT(block, HasSubstr("a.jpg\n   90.0 %  [==="));
  EXPECT_THAT(block, HasSubstr("  a very long name of it\n    7.0 %  ["));
}

} // namespace
} // namespace vitrain::results
