// Evaluation results on a page, for any number of classes.

#include <gmock/gmock.h>

#include "core/error.h"
#include "image/formats/png_write.h"
#include "pictures/cards.h"
#include "report/page/page.h"
#include "report/page/pictures.h"
#include "report/runs/read_evaluation.h"
#include "results/evaluation_files.h"
#include "support.h"

namespace vitrain::report {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr std::size_t kLargestPage = 5'000'000; // bytes

// An evaluation with two samples of each class; of every tenth class one is
// taken for the next one, and class 7 is taken for class 3 twice.
results::Evaluation evaluation_of(std::int64_t classes) {
  results::Evaluation evaluation;
  std::int64_t sample = 0;
  for (std::int32_t label = 0; label < classes; ++label) {
    evaluation.classes.push_back(fmt::format("class {}", label));
    for (const bool second : {false, true}) {
      const bool wrong = second && label % 10 == 0 && label + 1 < classes;
      evaluation.outcomes.push_back(
          {.sample = sample++,
           .label = label,
           .prediction = label == 7 ? 3
               : wrong              ? label + 1
                                    : label,
           .probability = 0.75F,
           .loss = static_cast<float>(label % 10)});
    }
  }
  evaluation.path = [](std::int64_t i) { return fmt::format("{}.jpg", i); };
  evaluation.picture = [](std::int64_t i) {
    image::Image picture(224, 224);
    std::uint32_t noise = static_cast<std::uint32_t>(i) + 1;
    for (std::uint8_t& value : picture.pixels) { // as large as a file gets
      noise = noise * 1664525U + 1013904223U;
      value = static_cast<std::uint8_t>(noise >> 24);
    }
    return std::optional(picture);
  };
  return evaluation;
}

// The page of a run with 1,000 classes said that confusion.csv has more than
// 1000 fields, and nothing else of the evaluation.
TEST(Page, OfManyClassesHasAllOfTheEvaluation) {
  for (const std::int64_t classes : {1000, 21841}) {
    const TempFolder folder;
    const auto path = write_run(folder, "a");
    results::write_evaluation(path / "evaluation", evaluation_of(classes));
    const std::string page = run_page(open_run(path), page_options());
    EXPECT_LT(page.size(), kLargestPage) << classes;
    EXPECT_THAT(
        page,
        AllOf(
            Not(HasSubstr("class=\"why\"")),
            HasSubstr("Accuracy by class"),
            // The worst class comes first.
            HasSubstr("<tr><th>class 7</th><td class=\"bar\" "
                      "style=\"--share:0.0000\">0.00 %</td><td>0 of 2</td>"),
            HasSubstr("<tr><td>class 7</td><td>class 3</td><td>2</td></tr>"),
            HasSubstr("<tr><td>class 0</td><td>class 1</td><td>1</td></tr>"),
            HasSubstr("The mistakes with the largest loss")));
    EXPECT_THAT(
        page,
        AllOf(HasSubstr("Confusion matrix"), HasSubstr("calibration error")));
  }
}

TEST(Page, ATableOfClassesKnowsConfusionsToo) {
  const TempFolder folder;
  const auto path = write_run(folder, "a");
  folder.write(
      "a/evaluation/per_class.csv",
      "class,count,correct,confused_with,confused\ncat,9,2,dog,7\n"
      "dog,9,9,,0\n");
  EXPECT_THAT(
      run_page(open_run(path), page_options()),
      HasSubstr("<tr><td>cat</td><td>dog</td><td>7</td></tr>"));
}

// Regression: one bad table hid all other tables.
TEST(Page, ABadTableLeavesTheOthers) {
  const TempFolder folder;
  const auto path = write_run(folder, "a");
  folder.write("a/evaluation/confusion.csv", ",cat,dog\ncat,8\n");
  folder.write("a/evaluation/per_class.csv", "class,count,correct\ncat,10,8\n");
  folder.write(
      "a/evaluation/reliability.csv",
      "low,high,count,confidence,accuracy\n0,1,4,0.5,0.75\n");
  EXPECT_THAT(
      run_page(open_run(path), page_options()),
      AllOf(
          HasSubstr("has 2 fields"),
          HasSubstr("8 of 10"),
          HasSubstr("calibration error 25.00 %")));
}

TEST(ReadEvaluation, HasNoLimitOnFields) {
  const TempFolder folder;
  std::string table = "label";
  for (int i = 0; i < 5000; ++i) {
    table += fmt::format(",c{}", i);
  }
  // A table of other numbers of rows is none.
  const auto file = folder.write("confusion.csv", table + "\n");
  EXPECT_TRUE(read_confusion(file).classes.empty());
  std::string square = "label,a,b\na,5,1\nb,0,9\n";
  EXPECT_EQ(
      read_confusion(folder.write("square.csv", square)).counts.count(), 15);
  std::string row = "c0";
  for (int i = 0; i < 5000; ++i) {
    row += ",0";
  }
  folder.write("confusion.csv", table + "\n" + row + "\n");
  try {
    read_confusion(file);
    ADD_FAILURE() << "one row for 5000 classes";
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("1 rows for 5000 classes"));
  }
}

TEST(ReadEvaluation, PairsThatWereMet) {
  const TempFolder folder;
  const std::string head = "label,prediction,count,class,predicted_class\n";
  const auto file =
      folder.write("pairs.csv", head + "2,0,7,\"c, d\",a\n1,1,3,b,b\n");
  const results::Confusion::Cells expected{{{2, 0}, 7}, {{1, 1}, 3}};
  EXPECT_EQ(read_confusion_pairs(file, 3), expected);
  EXPECT_THROW(read_confusion_pairs(file, 2), Error); // there is no class 2
  EXPECT_TRUE(read_confusion_pairs(folder / "none.csv", 3).empty());
  folder.write("pairs.csv", head + "1,x,3,b,b\n");
  EXPECT_THROW(read_confusion_pairs(file, 3), Error);
}

TEST(Pictures, CardsArePicturesOfTheirOwn) {
  const TempFolder folder;
  pictures::CardSheet sheet({.count = 20, .lines = 1, .size = {32, 32}});
  for (int i = 0; i < 20; ++i) {
    sheet.add(
        {.picture = image::Image(32, 32),
         .title = fmt::format("<{}>.png", i),
         .lines = {{.text = "cat & dog", .share = 0.5}}});
  }
  const std::string page =
      cards(folder.write("mistakes.png", sheet.png()), "Mistakes");
  EXPECT_THAT(
      page,
      AllOf(
          HasSubstr("&lt;19&gt;.png"),
          HasSubstr("cat &amp; dog"),
          HasSubstr("50.0 %"),
          HasSubstr("<summary>4 more</summary>"),
          HasSubstr("width=\"32\" height=\"32\"")));
  EXPECT_EQ(cards(folder / "none.png", "Mistakes"), "");
  EXPECT_EQ(cards(folder.write("text.png", "text"), "Mistakes"), "");
  // Another program's picture stays one.
  EXPECT_THAT(
      cards(
          folder.write("other.png", image::encode_png(image::Image(4, 4))),
          "Mistakes"),
      HasSubstr("data:image/png;base64,"));
}

TEST(Pictures, ADrawingHasADarkForm) {
  const std::vector<std::string> names(50, "a class");
  const NamedConfusion table{
      .classes = names,
      .counts = results::Confusion(50, results::Confusion::Cells{{{0, 1}, 3}})};
  EXPECT_THAT(
      heat_map(table),
      AllOf(
          HasSubstr("<source media=\"(prefers-color-scheme: dark)\""),
          HasSubstr("Confusion matrix")));
  EXPECT_THAT(
      reliability({{.count = 4, .correct = 3, .confidence_sum = 2.0}}),
      AllOf(HasSubstr("<svg"), HasSubstr("underconfident")));
  EXPECT_THAT(
      reliability({{.count = 4, .correct = 3, .confidence_sum = 3.0}}),
      HasSubstr("confidence equals accuracy"));
  EXPECT_EQ(reliability({}), "");
  EXPECT_EQ(reliability({{}}), "");
}

} // namespace
} // namespace vitrain::report
