#include "results/files/output_file.h"

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

TEST(OutputFile, ReplacesOnlyWhatItHasWritten) {
  const TempFolder folder;
  const auto check = [&](const char* name) {
    check_replaceable(
        "-csv", folder / name, "a table", [](std::string_view start) {
          return start.starts_with("path,");
        });
  };
  folder.write("table", "path,prediction\n");
  folder.write("empty", "");
  folder.write("short", "pat");
  folder.write("photo", std::string(1000, 'x'));
  for (const char* name : {"table", "empty", "none", "."}) {
    EXPECT_NO_THROW(check(name)) << name;
  }
  for (const char* name : {"short", "photo"}) {
    EXPECT_THAT(
        error_of(ExitCode::kUsage, [&] { check(name); }),
        testing::AllOf(
            testing::StartsWith("-csv "),
            HasSubstr(
                std::string(name) +
                ": a file is there already that is not a table: remove it, or "
                "give another name")));
  }
}

} // namespace
} // namespace vitrain::results
