// `vitrain models`, which prints counts of the build, and counts other networks
// with torch.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "program.h"

namespace vitrain::e2e {
namespace {

using testing::HasSubstr;
using testing::Not;

// Runs the program without the program with torch next to it.
Result without_torch_beside(const Words& arguments) {
  const TempFolder folder;
  const std::filesystem::path copy = folder / "vitrain";
  std::filesystem::copy_file(binary(), copy);
  return run(
      Command{.words = arguments, .environment = {}}.after({copy.native()}));
}

// The one with torch, which makes each network.
Result with_torch(const Words& arguments) {
  return run(Command{.words = arguments, .environment = {}}.after(
      {VITRAIN_BINARY_DIR "/vitrain_torch"}));
}

TEST(Models, AreAsTheNetworksSayWithoutTorch) {
  for (const Words& words :
       {Words{"models"}, Words{"models", "swin_*", "resnet50"}}) {
    const Result known = without_torch_beside(words);
    EXPECT_EQ(known.exit_code, 0) << known.err;
    EXPECT_THAT(known.out, HasSubstr(" 25,557,032 "));
    EXPECT_EQ(known.out, with_torch(words).out);
  }
}

TEST(Models, ThatAreNotListedAreCountedWithTorch) {
  const Words words{"models", "vit_tiny_patch16_160", "resnet50"};
  EXPECT_THAT(without_torch_beside(words).err, HasSubstr("cannot start"));
  const Result result = run(words);
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr("\nvit_tiny_patch16_160 "));
  EXPECT_EQ(result.out, with_torch(words).out);
}

TEST(Models, MistakesAreExplainedWithoutTorch) {
  for (const char* name : {"nonsense", "vit_tiny_patch16_225"}) {
    const Result result = without_torch_beside({"models", name});
    EXPECT_EQ(result.exit_code, 2) << result.err;
    EXPECT_THAT(result.err, Not(HasSubstr("cannot start")));
  }
}

} // namespace
} // namespace vitrain::e2e
