#include "data/sources/label_lists.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "data/kinds/datasets.h"
#include "data/sources/held_out.h"
#include "support/messages.h"
#include "unit/data/support.h"

namespace vitrain::data {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

TEST(LabelsIn, AreBetweenWhatTheFileHas) {
  EXPECT_THAT(labels_in("3,17", kBetweenInText), ElementsAre("3", "17"));
  EXPECT_THAT(labels_in("3", kBetweenInText), ElementsAre("3"));
  EXPECT_THAT(labels_in("-", kBetweenInText), IsEmpty());
  EXPECT_THAT(labels_in("", kBetweenInCsv), IsEmpty());
  EXPECT_THAT(labels_in("cat dog", kBetweenInCsv), ElementsAre("cat", "dog"));
  EXPECT_THAT(
      labels_in("hot dog; cat", kBarsInCsv), ElementsAre("hot dog", "cat"));
  EXPECT_THAT(
      labels_in("hot dog|cat", kBarsInCsv), ElementsAre("hot dog", "cat"));
  EXPECT_TRUE(are_label_numbers("3,17"));
  EXPECT_FALSE(are_label_numbers("3,x"));
}

class LabelLists : public testing::Test {
 protected:
  LabelLists() {
    for (const char* name : {"a.jpg", "b.jpg", "c d.jpg"}) {
      folder_.write(name);
    }
  }
  Index index(const std::string& name, std::string_view text) {
    SourceOptions options;
    options.kind = SourceKind::kList;
    options.path = folder_.write(name, text).native();
    options.classes = 0; // as many as the labels need
    options.multi_label = true;
    return list(options);
  }

  TempFolder folder_;
};

TEST_F(LabelLists, OfTextAreNumbersWithCommas) {
  const Index list = index("list.txt", "a.jpg 2,0\nc d.jpg -\nb.jpg 3\n");
  EXPECT_THAT(list.classes(), ElementsAre("0", "1", "2", "3"));
  EXPECT_THAT(list.label_set(0), ElementsAre(2, 0));
  EXPECT_THAT(list.label_set(1), IsEmpty());
  EXPECT_THAT(list.label_set(2), ElementsAre(3));
  EXPECT_EQ(list.label(0), 2);
  EXPECT_THAT(list.notes(), Contains("images without a label: 1"));
  EXPECT_THAT(list.notes(), Contains("classes without an image: 1"));
}

TEST_F(LabelLists, OfTablesMayBeNames) {
  const Index list =
      index("list.csv", "path,label\na.jpg,dog;ant\nb.jpg,\nc d.jpg,ant\n");
  EXPECT_THAT(list.classes(), ElementsAre("ant", "dog"));
  EXPECT_THAT(list.label_set(0), ElementsAre(1, 0));
  EXPECT_THAT(list.label_set(1), IsEmpty());
  EXPECT_THAT(list.label_set(2), ElementsAre(0));
}

// "hot dog" alone became two classes where another line had semicolons.
TEST_F(LabelLists, OfTablesHaveOneSeparatorInAllLines) {
  for (const char* text :
       {"a.jpg,hot dog\nb.jpg,hot dog;ant\n",
        "b.jpg,hot dog;ant\na.jpg,hot dog\n"}) {
    EXPECT_THAT(
        index("list.csv", text).classes(), ElementsAre("ant", "hot dog"));
  }
  EXPECT_THAT(
      index("list.csv", "a.jpg,hot dog\nb.jpg,ant\n").classes(),
      ElementsAre("ant", "dog", "hot"));
  expect_message(
      data_error([&] { index("list.csv", "b.jpg,1\na.jpg,\"3,17\"\n"); }),
      {"list.csv:2", "3,17"});
}

TEST_F(LabelLists, AreNumbersOrNamesWhateverComesFirst) {
  for (const char* text :
       {"path,label\na.jpg,2;x\nb.jpg,0\nc d.jpg,1\n",
        "path,label\nc d.jpg,1\na.jpg,x;2\nb.jpg,0\n"}) {
    EXPECT_THAT(
        data_error([&] { index("list.csv", text); }),
        HasSubstr("expected a whole number as label"))
        << text;
  }
  folder_.write("classes.txt", "1\n2\n3\n");
  EXPECT_THAT(
      index("list.csv", "a.jpg,1;3\nb.jpg,2\n").label_set(0),
      ElementsAre(0, 2));
  EXPECT_THAT(
      index("list.csv", "a.jpg,1;2\nb.jpg,0\n").label_set(0),
      ElementsAre(1, 2));
  EXPECT_THAT(
      index("list.txt", "a.jpg 1,2\nb.jpg -\n").label_set(0),
      ElementsAre(1, 2));
}

TEST_F(LabelLists, WithoutAnyLabelAreRefused) {
  expect_message(data_error([&] { index("list.txt", "a.jpg -\n"); }), {});
}

TEST_F(LabelLists, LabelsThatAreListedTwiceAreTold) {
  const Index list = index("list.txt", "a.jpg 3,3,0,3\nb.jpg 3,1\n");
  EXPECT_THAT(
      list.notes(),
      Contains("labels that an image has twice (they count once): 2"));
}

TEST_F(LabelLists, AreRefusedWithTheirLine) {
  expect_message(
      data_error([&] { index("list.txt", "a.jpg 2,x\n"); }), {"list.txt:1"});
  expect_message(data_error([&] { index("list.txt", "a.jpg 2,-1\n"); }), {"1"});
}

TEST_F(LabelLists, StayWithTheirImagesInBothParts) {
  const Index list = index("list.txt", "a.jpg 1,0\nb.jpg 1\nc d.jpg 1,2\n");
  const SplitData parts = split_data(list, 0.34, 0);
  ASSERT_EQ(parts.held_out.size(), 1);
  std::int64_t labels = 0;
  for (const Index* part : {&parts.train, &parts.held_out}) {
    for (std::int64_t i = 0; i < part->size(); ++i) {
      labels += std::ssize(part->label_set(i));
      EXPECT_EQ(part->label(i), part->label_set(i).front());
    }
  }
  EXPECT_EQ(labels, 5);
}

} // namespace
} // namespace vitrain::data
