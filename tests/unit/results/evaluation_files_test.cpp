#include "results/evaluation_files.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <limits>
#include <sstream>

#include "image/formats/decode.h"
#include "results/evaluation_pictures.h"
#include "support/errors.h"
#include "support/files.h"

namespace vitrain::results {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using testing::StartsWith;

// Two classes of three samples, of which one has no finite outputs; names have
// what tables have to quote.
Evaluation small() {
  return {
      .outcomes =
          {{.sample = 0,
            .label = 0,
            .prediction = 0,
            .probability = 0.75F,
            .loss = 0.25F},
           {.sample = 1,
            .label = 1,
            .prediction = 0,
            .probability = 0.5F,
            .loss = 3.5F},
           {.sample = 2,
            .label = 1,
            .prediction = -1,
            .probability = std::numeric_limits<float>::quiet_NaN(),
            .loss = std::numeric_limits<float>::quiet_NaN()}},
      .classes = {"cat", "dog, wild"},
      .path =
          [](std::int64_t sample) {
            return "a \"b\"/" + std::to_string(sample) + ".jpg";
          },
      .picture = [](std::int64_t) { return image::Image(32, 24); }};
}

TEST(EvaluationFiles, AreTables) {
  EXPECT_EQ(
      predictions_csv(small()),
      "path,label,prediction,probability,loss\n"
      "\"a \"\"b\"\"/0.jpg\",cat,cat,0.75,0.25\n"
      "\"a \"\"b\"\"/1.jpg\",\"dog, wild\",cat,0.5,3.5\n"
      "\"a \"\"b\"\"/2.jpg\",\"dog, wild\",,,\n");
  EXPECT_EQ(
      per_class_csv(small()),
      "class,count,correct,accuracy,predicted,precision,f1,confused_with,"
      "confused\n"
      "cat,1,1,1,2,0.5,0.6666666666666666,,0\n"
      "\"dog, wild\",2,0,0,0,0,0,cat,1\n");
  EXPECT_EQ(
      confusion_csv(small()),
      "label,cat,\"dog, wild\"\ncat,1,0\n\"dog, wild\",1,0\n");
  const std::string reliability = reliability_csv(small());
  EXPECT_THAT(
      reliability, StartsWith("low,high,count,confidence,accuracy\n0,0.06"));
  EXPECT_THAT(reliability, HasSubstr("\n0.466667,0.533333,1,0.5,0\n"));
  EXPECT_THAT(reliability, HasSubstr("\n0.533333,0.6,0,,\n"));
}

TEST(EvaluationFiles, ReplaceAFolderAllAtOnce) {
  const TempFolder folder;
  folder.write("evaluation/old.csv", "gone");
  write_evaluation(folder / "evaluation", small());
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(folder / "evaluation")) {
    names.push_back(entry.path().filename().native());
  }
  EXPECT_THAT(
      names,
      testing::UnorderedElementsAre(
          "predictions.csv",
          "per_class.csv",
          "confusion.csv",
          "confusion.png",
          "reliability.csv",
          "reliability.png",
          "mistakes.png"));
  EXPECT_FALSE(fs::exists(folder / "evaluation.part"));
  folder.write("file", "");
  EXPECT_THAT(
      error_of(
          ExitCode::kStorage,
          [&] { write_evaluation(folder / "file/evaluation", small()); }),
      HasSubstr("file"));
}

TEST(EvaluationFiles, OfManyClassesAreAsLarge) {
  for (const std::int64_t classes : {1, 2, 10, 60, 61, 1000, 2500}) {
    std::vector<Outcome> outcomes;
    for (std::int32_t i = 0; i < classes; ++i) {
      outcomes.push_back({.sample = i, .label = i, .prediction = i});
    }
    const std::vector<std::string> names(
        static_cast<std::size_t>(classes), "a class with a rather long name");
    const image::Image picture =
        draw_confusion(Confusion(classes, outcomes), names);
    EXPECT_GE(picture.width, 500) << classes;
    EXPECT_LE(picture.width, 1300) << classes;
    EXPECT_LE(picture.height, 1300) << classes;
  }
}

TEST(EvaluationFiles, HaveNoMistakesWhereAllIsRight) {
  Evaluation evaluation = small();
  evaluation.outcomes.resize(1);
  EXPECT_FALSE(draw_mistakes(evaluation).has_value());
  evaluation = small();
  evaluation.picture = [](std::int64_t) { return std::nullopt; };
  EXPECT_FALSE(draw_mistakes(evaluation).has_value());
}

TEST(EvaluationFiles, AreSummedUpInTenLines) {
  std::string text;
  for (const auto& [label, lines] : summary_of(small())) {
    text += label + ": " + lines + "\n";
  }
  EXPECT_LE(std::ranges::count(text, '\n'), 10);
  EXPECT_THAT(text, HasSubstr("33.33 % (1 of 3), 50.00 % on average"));
  EXPECT_THAT(text, HasSubstr("dog, wild 0.00 %"));
  EXPECT_THAT(text, HasSubstr("dog, wild taken for cat (1 time)"));
  EXPECT_THAT(
      text, HasSubstr("/1.jpg: dog, wild, taken for cat (50.0 % sure)"));
}

TEST(EvaluationFiles, NameOutputsThatNoSampleIsOf) {
  Evaluation evaluation = small();
  evaluation.classes = {"cat", "dog, wild", "2", "3"};
  evaluation.of_classes = 4;
  evaluation.outcomes[1].prediction = 3;
  EXPECT_THAT(per_class_csv(evaluation), HasSubstr("\n3,0,0,0,1,0,0,,0\n"));
  EXPECT_THAT(
      summary_of(evaluation).front().second,
      HasSubstr("50.00 % on average over 2 classes of the 4 of the network"));
}

} // namespace
} // namespace vitrain::results
