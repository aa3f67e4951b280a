#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include "config/load_recipe.h"
#include "support.h"
#include "support/messages.h"

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
  expect_message(refusal(folder_.path()), {});
}

TEST_F(FileHazard, FifoDoesNotHang) {
  const std::filesystem::path fifo = folder_.path() / "fifo.yaml";
  ASSERT_EQ(mkfifo(fifo.c_str(), 0600), 0);
  expect_message(refusal(fifo), {});
}

TEST_F(FileHazard, Unreadable) {
  const std::filesystem::path file = folder_.write("a.yaml", "run: {seed: 1}");
  ASSERT_EQ(chmod(file.c_str(), 0), 0);
  if (geteuid() == 0) {
    GTEST_SKIP() << "root reads every file";
  }
  expect_message(refusal(file), {});
}

TEST_F(FileHazard, TenMegabytes) {
  const std::filesystem::path file =
      folder_.write("big.yaml", std::string(10 << 20, '#'));
  expect_message(refusal(file), {"10.0", "1.0"});
}

TEST_F(FileHazard, NameCannotForgeLines) {
  const std::string message =
      refusal(folder_.path() / "a\n0 problems found\x1b[2J.yaml");
  expect_message(message, {"2J.yaml"});
}

} // namespace
} // namespace vitrain::config
