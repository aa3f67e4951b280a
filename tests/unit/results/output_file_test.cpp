#include "results/output_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/errors.h"
#include "support/files.h"

namespace vitrain::results {
namespace {

using testing::HasSubstr;

TEST(OutputFile, HasItsNameWhenItIsComplete) {
  const TempFolder folder;
  const auto path = folder.write("a.csv", "old");
  {
    OutputFile file(path);
    file.write("new");
    EXPECT_EQ(slurp(path), "old");
    file.finish();
  }
  EXPECT_EQ(slurp(path), "new");
  {
    OutputFile file(path);
    file.write("half");
  }
  EXPECT_EQ(slurp(path), "new");
  EXPECT_FALSE(std::filesystem::exists(folder / "a.csv.part"));
}

TEST(OutputFile, SaysWhatCannotBeWritten) {
  const TempFolder folder;
  EXPECT_THAT(
      error_of(ExitCode::kStorage, [&] { OutputFile(folder / "none/a.csv"); }),
      HasSubstr("none/a.csv: cannot write it: No such file"));
  EXPECT_THAT(
      error_of(ExitCode::kStorage, [&] { OutputFile("/dev/full").write("a"); }),
      HasSubstr("/dev/full: cannot write it: No space"));
}

} // namespace
} // namespace vitrain::results
