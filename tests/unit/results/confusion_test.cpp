#include "results/confusion.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "unit/results/golden.h"

namespace vitrain::results {
namespace {

using testing::ElementsAre;

TEST(Confusion, IsThatOfScikitLearn) {
  const Json json = golden();
  const Confusion confusion(json.at("classes"), golden_outcomes());
  for (std::int32_t label = 0; label < confusion.classes(); ++label) {
    const auto i = static_cast<std::size_t>(label);
    for (std::int32_t prediction = 0; prediction < confusion.classes();
         ++prediction) {
      EXPECT_EQ(
          confusion.at(label, prediction),
          json.at("confusion")[i][static_cast<std::size_t>(prediction)]);
    }
    const ClassResult& result = confusion.results()[i];
    // One division and one addition more or less.
    EXPECT_DOUBLE_EQ(result.accuracy(), json.at("recall")[i]) << label;
    EXPECT_DOUBLE_EQ(result.precision(), json.at("precision")[i]) << label;
    EXPECT_DOUBLE_EQ(result.f1(), json.at("f1")[i]) << label;
  }
  EXPECT_DOUBLE_EQ(confusion.mean_accuracy(), json.at("mean_accuracy"));
  EXPECT_DOUBLE_EQ(confusion.macro_f1(), json.at("macro_f1"));
}

TEST(Confusion, SaysWhatIsTakenForWhat) {
  const std::vector<Outcome> outcomes{
      {.sample = 0, .label = 0, .prediction = 1},
      {.sample = 1, .label = 0, .prediction = 2},
      {.sample = 2, .label = 0, .prediction = 2},
      {.sample = 3, .label = 1, .prediction = 1},
      {.sample = 4, .label = 2, .prediction = 0},
      {.sample = 5, .label = 2, .prediction = 2},
      {.sample = 6, .label = 1, .prediction = -1}}; // not finite
  const Confusion confusion(4, outcomes);
  EXPECT_EQ(confusion.count(), 7);
  EXPECT_EQ(confusion.correct(), 2);
  EXPECT_EQ(confusion.results()[0].confused_with, 2);
  EXPECT_EQ(confusion.results()[0].confused, 2);
  EXPECT_EQ(confusion.results()[1].confused_with, -1);
  EXPECT_EQ(confusion.results()[1].accuracy(), 0.5);
  const auto pairs = confusion.most_confused(2);
  ASSERT_EQ(pairs.size(), 2U);
  EXPECT_EQ(pairs[0].label, 0);
  EXPECT_EQ(pairs[0].prediction, 2);
  EXPECT_EQ(pairs[0].count, 2);
  // Class 3 has no samples; of equal ones the lower number comes first.
  EXPECT_THAT(confusion.worst_classes(9), ElementsAre(0, 1, 2));
}

TEST(Mistakes, AreThoseWithTheLargestLoss) {
  const std::vector<Outcome> outcomes{
      {.sample = 0, .label = 0, .prediction = 1, .loss = 2},
      {.sample = 1, .label = 0, .prediction = 0, .loss = 9},
      {.sample = 2, .label = 1, .prediction = 0, .loss = 5},
      {.sample = 3, .label = 1, .prediction = 0, .loss = 5},
      {.sample = 4, .label = 1, .prediction = -1, .loss = 99}};
  std::vector<std::int64_t> samples;
  for (const Outcome& one : mistakes_of(outcomes, 2)) {
    samples.push_back(one.sample);
  }
  EXPECT_THAT(samples, ElementsAre(2, 3));
}

} // namespace
} // namespace vitrain::results
