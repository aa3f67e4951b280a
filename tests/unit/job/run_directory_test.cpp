#include "job/run/run_directory.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <map>
#include <string>

#include "config/load_recipe.h"
#include "core/error.h"
#include "support/files.h"

namespace vitrain::job {
namespace {

class RunDirectoryTest : public testing::Test {
 protected:
  RunDirectoryTest() { recipe_.run.output = folder_ / "deep" / "runs"; }

  TempFolder temp_;
  const std::filesystem::path folder_ = temp_.path();
  config::Recipe recipe_;
};

TEST_F(RunDirectoryTest, IsCheckedByWriting) {
  const RunDirectory run{folder_};
  check_writable(run);
  std::filesystem::create_directory(run.checkpoints());
  check_writable(run);
  EXPECT_TRUE(std::filesystem::is_empty(run.checkpoints()));
  std::filesystem::remove(run.checkpoints());
  std::ofstream(run.checkpoints()) << "a file";
  EXPECT_THROW(check_writable(run), Error);
}

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

// Runs in a process of its own, whose working directory it is.
int check_without_working_directory(const std::filesystem::path& folder) {
  if (::chdir(folder.c_str()) != 0 || ::rmdir(folder.c_str()) != 0) {
    return 1;
  }
  config::Recipe recipe; // in runs/
  try {
    create_run_directory(recipe, "x");
    return 2;
  } catch (const Error& error) {
    std::fprintf(stderr, "%s\n", error.what());
    const bool names =
        std::string(error.what())
            .starts_with(
                recipe.run.output + ": is relative to the working directory");
    return names && error.code() == ExitCode::kStorage ? 0 : 3;
  }
}

TEST_F(RunDirectoryTest, AWorkingDirectoryThatIsGoneIsAStorageError) {
  const std::filesystem::path gone = folder_ / "gone";
  std::filesystem::create_directory(gone);
  EXPECT_EXIT(
      std::_Exit(check_without_working_directory(gone)),
      testing::ExitedWithCode(0),
      "");
}

TEST_F(RunDirectoryTest, AutoNameIsTheConfigFiles) {
  EXPECT_EQ(run_name(recipe_, "configs/my_recipe.yaml"), "my_recipe");
  EXPECT_EQ(run_name(recipe_, ""), recipe_.model.name);
  recipe_.run.name = "named";
  EXPECT_EQ(run_name(recipe_, "configs/my_recipe.yaml"), "named");
}

TEST_F(RunDirectoryTest, TheConfigOfARunMeansThatRun) {
  const RunDirectory run = create_run_directory(recipe_, "x-y");
  EXPECT_EQ(run_of_config(run.config().native()), run.path);
  EXPECT_EQ(run_name(recipe_, run.config().native()), "x-y");
  EXPECT_EQ(
      run_name(recipe_, create_run_directory(recipe_, "x-y").config()), "x-y");
  // A renamed run is recognised by the files in it.
  const RunDirectory renamed{folder_ / "best"};
  std::filesystem::rename(run.path, renamed.path);
  EXPECT_EQ(run_of_config(renamed.config().native()), std::nullopt);
  std::ofstream(renamed.environment()) << "{}";
  EXPECT_EQ(run_of_config(renamed.config().native()), renamed.path);
  EXPECT_EQ(run_name(recipe_, renamed.config().native()), "config");
  for (const char* other : {"", "config.yaml", "a-20260101-000000/my.yaml"}) {
    EXPECT_EQ(run_of_config(other), std::nullopt) << other;
  }
}

TEST_F(RunDirectoryTest, ANameEndsWhereItsTimeBegins) {
  for (const auto& [folder, name] : std::map<std::string, std::string>{
           {"a-20260101-010203", "a"},
           {"a-20260101-010203-12", "a"}, // the twelfth of this second
           {"a-20260101-010203-123456", "a"},
           {"a-1-20260101-010203", "a-1"},
           {"a-20260101-20260102-010203", "a-20260101"},
           {"-20260101-010203", "config"},
           {"a-2026010-010203", "config"},
           {"a-20260101-01020", "config"},
           {"a-20260101-010203-", "config"},
           {"a20260101-010203", "config"}}) {
    EXPECT_EQ(run_name(recipe_, "/runs/" + folder + "/config.yaml"), name)
        << folder;
  }
}

TEST_F(RunDirectoryTest, AnEvaluationWithNothingKeptLeavesNoFolder) {
  struct Case {
    bool records;
    int exit_code;
    bool stays;
  };
  for (const Case& one :
       {Case{true, 0, true},
        Case{false, 0, false},
        Case{true, 4, false},
        Case{true, 3, false},
        Case{true, 2, false},
        Case{true, 7, true},
        Case{false, 1, true}}) {
    config::Recipe recipe = recipe_;
    recipe.log.jsonl = one.records;
    recipe.log.csv = recipe.log.tensorboard = false;
    const RunDirectory run = create_run_directory(recipe, "x-eval");
    std::ofstream(run.logs() / "workerlog.0") << "text";
    EXPECT_NE(remove_unkept(recipe, run, one.exit_code), one.stays);
    EXPECT_EQ(std::filesystem::exists(run.path), one.stays)
        << one.records << one.exit_code;
  }
  // A folder that cannot be removed: its name is too long for the kernel.
  EXPECT_FALSE(
      remove_unkept(recipe_, {folder_ / std::string(300, 'x')}, /*usage=*/2));
}

} // namespace
} // namespace vitrain::job
