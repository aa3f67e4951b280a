#include "results/prediction.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <limits>

#include "core/json.h"
#include "results/csv.h"
#include "results/prediction_output.h"

namespace vitrain::results {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

TEST(TopClasses, AreTheMostProbableOnesFirst) {
  constexpr std::array kProbabilities{0.1F, 0.5F, 0.05F, 0.35F};
  EXPECT_THAT(
      top_classes(kProbabilities, 3),
      ElementsAre(
          ClassScore{1, 0.5F}, ClassScore{3, 0.35F}, ClassScore{0, 0.1F}));
}

TEST(TopClasses, OfEqualOnesTheLowerNumberComesFirst) {
  constexpr std::array kProbabilities{0.2F, 0.3F, 0.2F, 0.3F};
  EXPECT_THAT(
      top_classes(kProbabilities, 9),
      ElementsAre(
          ClassScore{1, 0.3F},
          ClassScore{3, 0.3F},
          ClassScore{0, 0.2F},
          ClassScore{2, 0.2F}));
}

TEST(TopClasses, AreNoneWhereSomethingIsNoNumber) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const std::array probabilities{0.2F, nan, 0.8F};
  EXPECT_THAT(top_classes(probabilities, 2), IsEmpty());
}

TEST(CsvField, IsQuotedWhereItHasTo) {
  EXPECT_EQ(csv_field("plain name.jpg"), "plain name.jpg");
  EXPECT_EQ(csv_field("a,b"), "\"a,b\"");
  EXPECT_EQ(csv_field("say \"cat\""), "\"say \"\"cat\"\"\"");
  EXPECT_EQ(csv_field("two\nlines"), "\"two\nlines\"");
  EXPECT_EQ(csv_field(" blank"), "\" blank\"");
  EXPECT_EQ(csv_field(""), "");
}

TEST(CsvLine, HasAnEmptyFirstField) {
  const std::array<std::string, 3> fields{"", "a", ""};
  EXPECT_EQ(csv_line(fields), ",a,\n");
}

class PredictionLinesTest : public testing::Test {
 protected:
  PredictionLines lines_{{"cat", "dog, wild", "fox"}, 2};
  Prediction good_{.top = {{1, 0.75F}, {0, 0.1F}}, .problem = ""};
  Prediction bad_{.top = {}, .problem = "ends, early"};
};

TEST_F(PredictionLinesTest, AreRowsOfATable) {
  EXPECT_EQ(
      lines_.csv_header(),
      "path,prediction,probability,prediction_2,probability_2,problem\n");
  EXPECT_EQ(lines_.csv("a.jpg", good_), "a.jpg,\"dog, wild\",0.75,cat,0.1,\n");
  EXPECT_EQ(lines_.csv("b,.jpg", bad_), "\"b,.jpg\",,,,,\"ends, early\"\n");
}

TEST_F(PredictionLinesTest, AreObjects) {
  const Json good = Json::parse(lines_.json("a.jpg", good_));
  EXPECT_EQ(good.at("path"), "a.jpg");
  ASSERT_THAT(good.at("top"), SizeIs(2));
  EXPECT_EQ(good.at("top")[0].at("class"), "dog, wild");
  EXPECT_EQ(good.at("top")[0].at("index"), 1);
  // As the table has it: 0.1, and not 0.10000000149, the same fp32 number.
  EXPECT_EQ(good.at("top")[1].at("probability"), 0.1);
  const Json bad = Json::parse(lines_.json("b\xFF.jpg", bad_));
  EXPECT_EQ(bad.at("path"), "b\uFFFD.jpg");
  EXPECT_EQ(bad.at("problem"), "ends, early");
  EXPECT_FALSE(bad.contains("top"));
}

// Lists of other programs, which also begin with a path, are not mistaken for
// predictions.
TEST(PredictionLines, AreKnownByTheirStart) {
  const Prediction seen{.top = {{1, 0.5F}, {0, 0.25F}}};
  const Prediction failed{.problem = "cannot be read"};
  for (const std::int64_t top : {1, 2, 5}) {
    const PredictionLines lines({"a", "b", "c", "d", "e"}, top);
    EXPECT_TRUE(is_predictions_csv(lines.csv_header()));
    for (const std::string path : {"a.jpg", "\"b\\\".jpg", ""}) {
      EXPECT_TRUE(is_predictions_jsonl(lines.json(path, seen)));
      EXPECT_TRUE(is_predictions_jsonl(lines.json(path, failed)));
      // A start has no end.
      EXPECT_TRUE(is_predictions_jsonl(lines.json(path, seen).substr(0, 40)));
    }
  }
  for (const char* text :
       {"path,label\na.jpg,1\n",
        "path,prediction,probability\n",
        "path,label,prediction,probability,loss\n",
        "path,",
        ""}) {
    EXPECT_FALSE(is_predictions_csv(text)) << text;
  }
  for (const char* text :
       {R"({"path":"a.jpg","label":1})",
        R"({"path":"a.jpg"})",
        R"({"path":"a.jpg)",
        R"({"path":"a.jpg\)",
        R"({"path":1,"top":[]})",
        "{}",
        ""}) {
    EXPECT_FALSE(is_predictions_jsonl(text)) << text;
  }
}

} // namespace
} // namespace vitrain::results
