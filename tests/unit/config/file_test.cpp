#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include "config/load_recipe.h"
#include "support.h"

namespace vitrain::config {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

// Paths that are not readable files.
class FileHazard : public ::testing::Test {
 protected:
  std::string refusal(const std::filesystem::path& file) {
    return usage_error([&] { load({.file = file}); });
  }
  TempFolder folder_;
};

TEST_F(FileHazard, Missing) {
  folder_.write("vit_tiny.yaml", "run: {seed: 1}\n");
  EXPECT_THAT(
      refusal(folder_.path() / "vit_tyni.yaml"),
      AllOf(
          HasSubstr("vit_tyni.yaml: No such file or directory"),
          HasSubstr(
              folder_.path().native() +
              " has no 'vit_tyni.yaml'. Did you mean 'vit_tiny.yaml'?")));
  EXPECT_THAT(
      refusal(folder_.path() / "x/../recipse/a.yaml"),
      HasSubstr(folder_.path().native() + " has no 'recipse'"));
}

TEST_F(FileHazard, Folder) {
  EXPECT_THAT(refusal(folder_.path()), HasSubstr("is a directory"));
}

TEST_F(FileHazard, FifoDoesNotHang) {
  const std::filesystem::path fifo = folder_.path() / "fifo.yaml";
  ASSERT_EQ(mkfifo(fifo.c_str(), 0600), 0);
  EXPECT_THAT(refusal(fifo), HasSubstr("FIFO"));
}

TEST_F(FileHazard, Unreadable) {
  const std::filesystem::path file = folder_.write("a.yaml", "run: {seed: 1}");
  ASSERT_EQ(chmod(file.c_str(), 0), 0);
  if (geteuid() == 0) {
    GTEST_SKIP() << "root reads every file";
  }
  EXPECT_THAT(refusal(file), HasSubstr("Permission denied"));
}

TEST_F(FileHazard, TenMegabytes) {
  const std::filesystem::path file =
      folder_.write("big.yaml", std::string(10 << 20, '#'));
  EXPECT_THAT(
      refusal(file), HasSubstr("10.0 MiB is more than the limit of 1.0 MiB"));
}

TEST_F(FileHazard, NameCannotForgeLines) {
  const std::string message =
      refusal(folder_.path() / "a\n0 problems found\x1b[2J.yaml");
  EXPECT_THAT(message, HasSubstr("a\\x0a0 problems found\\x1b[2J.yaml"));
}

} // namespace
} // namespace vitrain::config
