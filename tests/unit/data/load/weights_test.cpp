#include "data/load/weights.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/messages.h"
#include "unit/data/support.h"

namespace vitrain::data {
namespace {

using testing::ElementsAre;

// Three samples of class a, one of class b.
class Weights : public testing::Test {
 protected:
  Weights() {
    for (const char* name : {"data/a/1.jpg", "data/a/2.jpg", "data/a/3.jpg"}) {
      folder_.write(name);
    }
    folder_.write("data/b/1.jpg");
    index_ = std::make_unique<Index>(
        list({.path = (folder_.path() / "data").native(), .train = false}));
  }

  std::vector<double> read(const std::string& text) {
    return read_weights(folder_.write("w.txt", text).native(), *index_);
  }
  std::string refusal(const std::string& text) {
    return data_error([&] { read(text); });
  }

  TempFolder folder_;
  std::unique_ptr<Index> index_;
};

TEST_F(Weights, BalancedDrawsEveryClassEquallyOften) {
  EXPECT_THAT(
      balanced_sample_weights(*index_),
      ElementsAre(1.0 / 3, 1.0 / 3, 1.0 / 3, 1.0));
}

TEST_F(Weights, AFileHasOneForEachClassOrForEachSample) {
  EXPECT_THAT(read("1\n4.5\n"), ElementsAre(1, 1, 1, 4.5));
  EXPECT_THAT(
      read("# weights\r\n1\r\n\r\n 0 \n2e-1\n7"), ElementsAre(1, 0, 0.2, 7));
}

// Editors begin files with a byte order mark, and end lines in several ways.
TEST_F(Weights, AFileMayComeFromAnyEditor) {
  EXPECT_THAT(
      read("\xEF\xBB\xBF"
           "1\n4.5\n"),
      ElementsAre(1, 1, 1, 4.5));
  EXPECT_THAT(read("\xEF\xBB\xBF# weights\r1\r4.5"), ElementsAre(1, 1, 1, 4.5));
}

// Weights of classes say nothing of the labels that an image has together: the
// first one's would be taken alone.
TEST_F(Weights, OfLabelListsAreForEachSample) {
  const auto three = label_lists_index(
      folder_, "three.txt", "a.jpg 1,0\nb.jpg 0,1\nc.jpg -\n");
  const auto weights = folder_.write("weights.txt", "0\n1\n").native();
  const std::string refused =
      data_error([&] { read_weights(weights, *three); });
  expect_message(refused, {"weights.txt", "2"});
  expect_message(refused, {"3"});
  // As many samples as classes: they are for the samples.
  const auto two =
      label_lists_index(folder_, "two.txt", "a.jpg 1,0\nb.jpg 0,1\n");
  EXPECT_THAT(read_weights(weights, *two), ElementsAre(0, 1));
}

TEST_F(Weights, MistakesAreNamedWithTheirLine) {
  expect_message(refusal("1\n2\n3\n"), {"w.txt", "3"});
  expect_message(refusal("1\n2\n3\n"), {"2"});
  expect_message(refusal("1\n2\n3\n"), {"4"});
  expect_message(refusal("1\n-2\n"), {"w.txt:2"});
  expect_message(refusal("\n1,5\n"), {"w.txt:2"});
  expect_message(refusal("nan\n1\n"), {"w.txt:1"});
  expect_message(refusal("0\n0\n"), {});
  expect_message(
      data_error([&] { read_weights("/nowhere/w.txt", *index_); }),
      {"/nowhere/w.txt"});
}

} // namespace
} // namespace vitrain::data
