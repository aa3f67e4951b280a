#include "engine/run_directory.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>

#include "config/load.h"
#include "core/error.h"

namespace vitrain::engine {
namespace {

class RunDirectoryTest : public testing::Test {
 protected:
  RunDirectoryTest() {
    std::string pattern = testing::TempDir() + "/vitrain-run-XXXXXX";
    folder_ = ::mkdtemp(pattern.data());
    recipe_.run.output = folder_ / "deep" / "runs";
  }
  ~RunDirectoryTest() override { std::filesystem::remove_all(folder_); }

  std::filesystem::path folder_;
  config::Recipe recipe_;
};

TEST_F(RunDirectoryTest, TwoRunsInOneSecondGetTwoFolders) {
  const RunDirectory a = create_run_directory(recipe_, "x");
  const RunDirectory b = create_run_directory(recipe_, "x");
  EXPECT_NE(a.path, b.path);
  EXPECT_TRUE(std::filesystem::is_directory(a.logs()));
  std::ifstream file(b.config());
  const std::string yaml(
      (std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  EXPECT_EQ(config::from_yaml(yaml).run.output, recipe_.run.output);
}

TEST_F(RunDirectoryTest, AFileInTheWayIsAStorageError) {
  std::ofstream(folder_ / "deep") << "x";
  try {
    create_run_directory(recipe_, "x");
    FAIL() << "accepted";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::kStorage);
  }
}

TEST_F(RunDirectoryTest, AutoNameIsTheConfigFiles) {
  EXPECT_EQ(run_name(recipe_, "configs/my_recipe.yaml"), "my_recipe");
  EXPECT_EQ(run_name(recipe_, ""), recipe_.model.name);
  recipe_.run.name = "named";
  EXPECT_EQ(run_name(recipe_, "configs/my_recipe.yaml"), "named");
}

} // namespace
} // namespace vitrain::engine
