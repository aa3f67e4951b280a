// Outputs of verbs never replace other files (predict: predict_test.cpp).

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "program.h"

namespace vitrain::e2e {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using testing::StartsWith;

const std::string kTimmArguments =
    VITRAIN_SOURCE_DIR "/tests/golden/config/timm_args/deit_small.yaml";

Result translate(const fs::path& from, const fs::path& output) {
  return run({"config", "from-timm", from, "-output", output}, 20);
}

TEST(Outputs, OfConfigFromReplaceOnlyTheirOwn) {
  const TempFolder folder;
  const auto given = folder.write("args.yaml", slurp(kTimmArguments));
  const auto other = folder.write("mine.yaml", "optim: {lr: 1}\n");
  for (const fs::path& file : {given, other}) {
    const std::string before = slurp(file);
    const Result refused = translate(given, file);
    EXPECT_EQ(refused.exit_code, 2) << refused.err;
    EXPECT_THAT(refused.err, HasSubstr("-output " + file.native()));
    EXPECT_EQ(slurp(file), before);
  }
  const auto made = folder / "made.yaml";
  for (int i = 0; i < 2; ++i) {
    EXPECT_EQ(translate(given, made).exit_code, 0);
  }
  // Its own output must not be replaced if it is the input.
  const Result itself = translate(made, made);
  EXPECT_EQ(itself.exit_code, 2);
  EXPECT_THAT(itself.err, HasSubstr("that is what is translated"));
  EXPECT_THAT(slurp(made), StartsWith("# Arguments of "));
}

TEST(Outputs, OfConfigFromFollowLinks) {
  const TempFolder folder;
  fs::create_symlink("made.yaml", folder / "link.yaml");
  fs::create_symlink("/proc/self/fd/1", folder / "stdout");
  EXPECT_EQ(translate(kTimmArguments, folder / "link.yaml").exit_code, 0);
  EXPECT_TRUE(fs::is_symlink(folder / "link.yaml"));
  EXPECT_THAT(slurp(folder / "made.yaml"), StartsWith("# Arguments of "));
  const Result shown = translate(kTimmArguments, folder / "stdout");
  EXPECT_EQ(shown.exit_code, 0) << shown.err;
  EXPECT_THAT(shown.out, StartsWith("# Arguments of "));
  EXPECT_TRUE(fs::is_symlink(folder / "stdout"));
  const Result standard = translate(kTimmArguments, "-");
  EXPECT_THAT(standard.out, StartsWith("# Arguments of "));
}

TEST(Outputs, OfDataCheckReplaceOnlyTheirOwn) {
  const TempFolder folder;
  const auto image = folder.write(
      "data/1.png",
      slurp(VITRAIN_SOURCE_DIR "/tests/golden/image/files/rgb_8.png"));
  // An empty list is nothing that could be lost, but is read.
  const auto list = folder.write("data/train_list.txt", "");
  const auto labelled = folder.write("data/val_list.txt", "1.png 0\n");
  const auto notes = folder.write("notes.md", "mine");
  for (const fs::path& file : {list, labelled, image, notes}) {
    const std::string before = slurp(file);
    const Result refused = run(
        {"data",
         "check",
         "-cfg",
         kTiny,
         "-dataset",
         "list",
         "-data_path",
         folder / "data",
         "-out",
         file});
    EXPECT_EQ(refused.exit_code, 2) << refused.err;
    EXPECT_THAT(refused.err, HasSubstr("-out " + file.native()));
    EXPECT_EQ(slurp(file), before);
  }
}

} // namespace
} // namespace vitrain::e2e
