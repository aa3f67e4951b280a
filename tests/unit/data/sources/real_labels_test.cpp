#include "data/sources/real_labels.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "data/kinds/datasets.h"
#include "support/messages.h"
#include "unit/data/support.h"

namespace vitrain::data {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

// Images of three classes with ImageNet's names.
class RealLabels : public testing::Test {
 protected:
  RealLabels() {
    folder_.write("val/a/ILSVRC2012_val_00000003.JPEG");
    folder_.write("val/b/ILSVRC2012_val_00000001.JPEG");
    folder_.write("val/c/ILSVRC2012_val_00000002.png");
  }
  Index data() {
    SourceOptions options;
    options.path = (folder_ / "val").native();
    return list(options);
  }
  Index with(std::string_view json) {
    return with_real_labels(data(), folder_.write("real.json", json).native());
  }
  std::string refusal(std::string_view json) {
    return data_error([&] { with(json); });
  }

  TempFolder folder_;
};

TEST_F(RealLabels, GoToTheImagesOfTheirNumbers) {
  const Index found = with("[[1, 2], [], [0], [2]]");
  ASSERT_TRUE(found.has_label_sets());
  EXPECT_THAT(found.label_set(0), ElementsAre(0)); // ..._3
  EXPECT_THAT(found.label_set(1), ElementsAre(1, 2)); // ..._1
  EXPECT_THAT(found.label_set(2), IsEmpty()); // ..._2
  EXPECT_EQ(found.label(1), 1);
  EXPECT_THAT(
      found.notes(),
      ElementsAre("images without a label in eval.real_labels: 1"));
  EXPECT_FALSE(data().has_label_sets());
  // Workers map the bytes.
  const std::string bytes(found.bytes());
  EXPECT_THAT(
      Index({bytes.data(), bytes.size()}, nullptr).label_set(1),
      ElementsAre(1, 2));
}

TEST_F(RealLabels, SayWhatIsWrong) {
  expect_message(refusal("{}"), {});
  expect_message(refusal("[[1], 2, [0]]"), {"1", "2"});
  expect_message(refusal("[[1], [0], [3]]"), {"2", "3"});
  expect_message(refusal("[[1], [0]]"), {"a/ILSVRC2012_val_00000003.JPEG"});
  folder_.write("val/a/x.jpg");
  expect_message(refusal("[[1], [0], [2]]"), {"a/x.jpg"});
}

} // namespace
} // namespace vitrain::data
