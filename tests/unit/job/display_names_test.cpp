#include "job/display_names.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/errors.h"
#include "support/files.h"
#include "support/messages.h"

namespace vitrain::job {
namespace {

using testing::ElementsAre;

const std::vector<std::string> kKnown{"n01", "n02", "n03"};

TEST(ShownClasses, AreNumbersWhereNothingIsKnown) {
  EXPECT_THAT(display_names({}, 3), ElementsAre("0", "1", "2"));
  EXPECT_EQ(display_names(kKnown, 3), kKnown);
}

TEST(ShownClasses, AreLinesInOrder) {
  const TempFolder folder;
  const auto file =
      folder.write("names.txt", "tench\ngreat shark\r\n\ncrane\n");
  EXPECT_THAT(
      display_names(kKnown, 3, file),
      ElementsAre("tench", "great shark", "crane"));
}

TEST(ShownClasses, AreFoundByWhatTheWeightsCallThem) {
  const TempFolder folder;
  const auto text = folder.write(
      "names.txt", "n03 crane, bird\nn01\ttench\nn02 shark\nn04 more\n");
  EXPECT_THAT(
      display_names(kKnown, 3, text),
      ElementsAre("tench", "shark", "crane, bird"));
  const auto table = folder.write(
      "names.csv", "id,name\nn02,\"shark, \"\"great\"\"\"\nn01,tench\nn03,a\n");
  EXPECT_THAT(
      display_names(kKnown, 3, table),
      ElementsAre("tench", "shark, \"great\"", "a"));
  // No key is a class of the weights: lines in the order of the classes.
  const auto others = folder.write("others.csv", "x,tench\ny,\"a, b\"\nz,\n");
  EXPECT_THAT(
      display_names(kKnown, 3, others), ElementsAre("tench", "a, b", "z"));
  const auto numbers = folder.write("numbers.txt", "1: b\n");
  expect_message(
      error_of(ExitCode::kData, [&] { display_names(kKnown, 3, numbers); }),
      {"numbers.txt", "1", "3"});
}

} // namespace
} // namespace vitrain::job
