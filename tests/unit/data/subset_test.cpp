#include "data/subset.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "data/kinds/datasets.h"
#include "support/messages.h"
#include "unit/data/support.h"

namespace vitrain::data {
namespace {

namespace fs = std::filesystem;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

const std::vector<std::string> kModel{"ant", "bee", "cat", "dog", "eel"};

std::vector<std::int64_t> labels_of(const Index& index) {
  std::vector<std::int64_t> labels;
  for (std::int64_t i = 0; i < index.size(); ++i) {
    labels.push_back(index.label(i));
  }
  return labels;
}

// Folders of classes, and files that list some.
class Subset : public testing::Test {
 protected:
  Index folder(std::initializer_list<const char*> images) {
    for (const char* image : images) {
      folder_.write(std::string("data/") + image);
    }
    SourceOptions options;
    options.path = (folder_ / "data").native();
    return list(options);
  }
  std::string file(std::string_view text) {
    return folder_.write("subset.txt", text).native();
  }

  TempFolder folder_;
};

TEST_F(Subset, FindsClassesOfTheModelByName) {
  const Index data = folder({"dog/1.jpg", "bee/1.jpg", "bee/2.jpg"});
  const Index found = restrict_to_subset(
      data, file("dog\nbee\n"), {.names = kModel, .count = 5});
  EXPECT_EQ(found.classes(), kModel);
  EXPECT_THAT(found.subset(), ElementsAre(1, 3));
  EXPECT_THAT(labels_of(found), ElementsAre(1, 1, 3));
  // As images are opened by their names, these stay.
  EXPECT_STREQ(found.name(2), "dog/1.jpg");
  EXPECT_THAT(found.notes(), IsEmpty());
}

TEST_F(Subset, LeavesOutImagesOfOtherClasses) {
  const Index data = folder({"ant/1.jpg", "bee/1.jpg", "dog/1.jpg"});
  const Index found = restrict_to_subset(
      data, file("dog Canis familiaris\n\n0\n4\n"), {.names = kModel});
  EXPECT_THAT(found.subset(), ElementsAre(0, 3, 4));
  EXPECT_THAT(labels_of(found), ElementsAre(0, 3));
  EXPECT_THAT(
      found.notes(),
      ElementsAre(
          "left out images of classes that eval.subset does not list: 1",
          "classes of eval.subset without an image: 1"));
}

// The names of a model that is not ours are not known: timm's way.
TEST_F(Subset, TakesTheOrderWhereNothingTellsTheNames) {
  const Index data = folder({"n2/1.jpg", "n1/1.jpg", "n3/1.jpg"});
  const Index found =
      restrict_to_subset(data, file("10\n11\n700\n"), {.count = 1000});
  EXPECT_THAT(labels_of(found), ElementsAre(10, 11, 700));
  EXPECT_EQ(found.classes().size(), 1000u);
  EXPECT_THAT(found.notes(), Contains(HasSubstr("nothing tells their names")));
  expect_message(
      data_error(
          [&] { restrict_to_subset(data, file("10\n11\n"), {.count = 1000}); }),
      {"data.eval.class_map"});
}

TEST_F(Subset, NumbersOfAListAreTheModels) {
  folder_.write("a.jpg");
  folder_.write("b.jpg");
  SourceOptions options;
  options.kind = SourceKind::kList;
  options.path = folder_.write("list.txt", "a.jpg 4\nb.jpg 1\n").native();
  options.classes = 5;
  const Index found =
      restrict_to_subset(list(options), file("1\ncat\n"), {.names = kModel});
  EXPECT_THAT(labels_of(found), ElementsAre(1));
  EXPECT_STREQ(found.name(0), "b.jpg");
}

// Names of classes that look like numbers.
TEST_F(Subset, DecidesOverAllLinesWhatTheyAre) {
  const std::vector<std::string> model{"1", "2", "3", "4"};
  const auto subset_of = [&](const Index& data, std::string_view text) {
    return restrict_to_subset(data, file(text), {.names = model, .count = 4});
  };
  const Index folders = folder({"1/1.jpg", "2/1.jpg", "4/1.jpg"});
  EXPECT_THAT(subset_of(folders, "4\n1\n").subset(), ElementsAre(0, 3));
  EXPECT_THAT(labels_of(subset_of(folders, "4\n1\n")), ElementsAre(0, 3));
  // 0 is no name: all are numbers, wherever it stands.
  EXPECT_THAT(subset_of(folders, "0\n1\n").subset(), ElementsAre(0, 1));
  EXPECT_THAT(subset_of(folders, "1\n0\n").subset(), ElementsAre(0, 1));
  EXPECT_THAT(labels_of(subset_of(folders, "1\n0\n")), ElementsAre(0, 1));
  const Index both = subset_of(folders, "1\n2\n");
  EXPECT_THAT(both.subset(), ElementsAre(0, 1));
  EXPECT_THAT(
      both.notes(), Contains(HasSubstr("read as names of classes, not as")));
  expect_message(data_error([&] { subset_of(folders, "0\n1\n4\n"); }), {"4"});
  // The labels of a list are the model's numbers.
  folder_.write("a.jpg");
  folder_.write("b.jpg");
  SourceOptions options;
  options.kind = SourceKind::kList;
  options.path = folder_.write("list.txt", "a.jpg 1\nb.jpg 3\n").native();
  options.classes = 4;
  EXPECT_THAT(labels_of(subset_of(list(options), "2\n4\n")), ElementsAre(1, 3));
}

// As labels of evaluation data do.
TEST_F(Subset, UndecidedLinesFollowTheLabelsOfTraining) {
  const Index data = folder({"1/1.jpg", "2/1.jpg", "4/1.jpg"});
  const auto subset_of = [&](std::string_view text, LabelForm labels) {
    return restrict_to_subset(
        data,
        file(text),
        {.names = {"1", "2", "3", "4"}, .count = 4, .labels = labels});
  };
  const Index numbers = subset_of("1\n2\n", LabelForm::kNumbers);
  EXPECT_THAT(numbers.subset(), ElementsAre(1, 2));
  EXPECT_THAT(labels_of(numbers), ElementsAre(1)); // folder 2
  EXPECT_THAT(numbers.notes(), Contains(HasSubstr("not as names")));
  EXPECT_THAT(
      subset_of("1\n2\n", LabelForm::kNames).subset(), ElementsAre(0, 1));
  // 4 can only be a name.
  EXPECT_THAT(
      subset_of("1\n4\n", LabelForm::kNumbers).subset(), ElementsAre(0, 3));
}

TEST_F(Subset, SaysWhatIsWrong) {
  const Index data = folder({"bee/1.jpg", "dgo/1.jpg"});
  const auto refusal = [&](std::string_view text) {
    return data_error([&] {
      restrict_to_subset(data, file(text), {.names = kModel, .count = 5});
    });
  };
  expect_message(
      refusal("bee\ncta\n"), {"subset.txt:2", "'cta'", "5", "'cat'"});
  expect_message(refusal("bee\n5\n"), {"'5'"});
  expect_message(refusal("bee\n1\n"), {"1"});
  expect_message(refusal("\n"), {});
  expect_message(refusal("bee\n"), {"'s: '", "5"});
  fs::remove_all(folder_ / "data/dgo");
  expect_message(
      data_error([&] {
        restrict_to_subset(
            folder({"bee/1.jpg"}), file("ant\n"), {.names = kModel});
      }),
      {});
}

TEST_F(Subset, IsPartOfTheFingerprint) {
  const Index data = folder({"ant/1.jpg", "bee/1.jpg"});
  const auto fingerprint = [&](std::string_view text) {
    return restrict_to_subset(data, file(text), {.names = kModel})
        .fingerprint();
  };
  EXPECT_EQ(fingerprint("ant\nbee\n"), fingerprint("bee\n0\n"));
  EXPECT_NE(fingerprint("ant\nbee\n"), fingerprint("ant\nbee\ncat\n"));
}

} // namespace
} // namespace vitrain::data
