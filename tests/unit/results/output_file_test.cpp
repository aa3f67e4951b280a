#include "results/output_file.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <filesystem>
#include <optional>
#include <set>
#include <string>

#include "support/errors.h"
#include "support/files.h"

namespace vitrain::results {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

std::set<std::string> names_in(const fs::path& folder) {
  std::set<std::string> names;
  for (const auto& entry : fs::directory_iterator(folder)) {
    names.insert(entry.path().filename().native());
  }
  return names;
}
std::set<std::string> names_in(const TempFolder& folder) {
  return names_in(folder.path());
}

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
  EXPECT_EQ(names_in(folder), std::set<std::string>{"a.csv"});
}

TEST(OutputFile, SharesItsPartWithNobody) {
  const TempFolder folder;
  folder.write("a.csv.part", "somebody's");
  OutputFile one(folder / "a.csv");
  OutputFile other(folder / "a.csv");
  one.write("one");
  other.write("other");
  one.finish();
  EXPECT_EQ(slurp(folder / "a.csv"), "one");
  other.finish();
  EXPECT_EQ(slurp(folder / "a.csv"), "other");
  EXPECT_EQ(slurp(folder / "a.csv.part"), "somebody's");
  EXPECT_EQ(names_in(folder), (std::set<std::string>{"a.csv", "a.csv.part"}));
}

TEST(OutputFile, FollowsLinksAndKeepsThem) {
  const TempFolder folder;
  folder.write("far/old.csv", "old");
  fs::create_symlink("far/old.csv", folder / "far.csv");
  fs::create_symlink(folder / "far.csv", folder / "link.csv");
  fs::create_symlink("new.csv", folder / "dangling.csv");
  fs::create_symlink("loop.csv", folder / "loop.csv");
  for (const char* name : {"link.csv", "dangling.csv"}) {
    OutputFile file(folder / name);
    file.write("new");
    file.finish();
    EXPECT_TRUE(fs::is_symlink(folder / name)) << name;
  }
  EXPECT_TRUE(fs::is_symlink(folder / "far.csv"));
  EXPECT_EQ(slurp(folder / "far/old.csv"), "new");
  EXPECT_EQ(names_in(folder / "far"), std::set<std::string>{"old.csv"});
  EXPECT_EQ(slurp(folder / "new.csv"), "new");
  EXPECT_THAT(
      error_of(ExitCode::kStorage, [&] { OutputFile(folder / "loop.csv"); }),
      HasSubstr("loop.csv: cannot be written: Too many levels"));
  EXPECT_EQ(replaced_file(folder / "link.csv"), folder / "far/old.csv");
  EXPECT_EQ(replaced_file(folder / "none.csv"), std::nullopt);
}

TEST(OutputFile, WritesToAPipeAsItIs) {
  const TempFolder folder;
  const fs::path pipe = folder / "pipe";
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  // With a reader, for which a writer waits else.
  const Fd reader(::open(pipe.c_str(), O_RDWR | O_NONBLOCK | O_CLOEXEC));
  ASSERT_TRUE(reader);
  EXPECT_EQ(replaced_file(pipe), std::nullopt);
  OutputFile file(pipe);
  file.write("a line");
  file.finish();
  std::array<char, 16> got{};
  EXPECT_EQ(::read(reader.get(), got.data(), got.size()), 6);
  EXPECT_TRUE(fs::is_fifo(pipe));
  EXPECT_EQ(names_in(folder), std::set<std::string>{"pipe"});
}

// As /dev/stdout is one.
TEST(OutputFile, GoesOnInAnOpenFileOfTheProcess) {
  const TempFolder folder;
  const fs::path path = folder / "log";
  const Fd log(::open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600));
  ASSERT_TRUE(log);
  ASSERT_EQ(write_all(log.get(), "before ", 7), 0);
  fs::create_symlink(
      "/proc/self/fd/" + std::to_string(log.get()), folder / "stdout");
  EXPECT_EQ(replaced_file(folder / "stdout"), std::nullopt);
  OutputFile file(folder / "stdout");
  file.write("in it");
  file.finish();
  ASSERT_EQ(write_all(log.get(), " after", 6), 0);
  EXPECT_EQ(slurp(path), "before in it after");
  EXPECT_TRUE(fs::is_symlink(folder / "stdout"));
  EXPECT_EQ(names_in(folder), (std::set<std::string>{"log", "stdout"}));
}

TEST(OutputFile, IsTheSameUnderAnyName) {
  const TempFolder folder;
  fs::create_directory(folder / "in");
  fs::create_symlink("a.csv", folder / "link.csv");
  for (const char* name : {"a.csv", "./a.csv", "in/../a.csv", "link.csv"}) {
    EXPECT_TRUE(is_same_output(folder / "a.csv", folder / name)) << name;
  }
  EXPECT_TRUE(is_same_output("a.csv", fs::current_path() / "a.csv"));
  EXPECT_TRUE(is_same_output("-", "-"));
  EXPECT_FALSE(is_same_output("-", "./-"));
  EXPECT_FALSE(is_same_output(folder / "a.csv", folder / "b.csv"));
}

TEST(OutputFile, SaysWhatCannotBeWritten) {
  const TempFolder folder;
  EXPECT_THAT(
      error_of(ExitCode::kStorage, [&] { OutputFile(folder / "none/a.csv"); }),
      HasSubstr("none/a.csv: cannot be written: No such file"));
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
