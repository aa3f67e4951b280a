#include "checkpoint/read_preprocess.h"

#include <fcntl.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/error.h"
#include "core/system/files.h"
#include "snapshots.h"
#include "states/safetensors.h"
#include "support/messages.h"

namespace vitrain::states {
namespace {

namespace fs = std::filesystem;

fs::path weights_with(
    const TempFolder& folder,
    const std::map<std::string, std::string>& metadata) {
  fs::path path = folder.path() / "w.safetensors";
  const Fd fd(::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600));
  std::int64_t bytes = 0;
  EXPECT_EQ(
      states::write_safetensors(
          fd.get(),
          {.tensors = {{"a", at::ones({2})}}, .metadata = metadata},
          /*hasher=*/nullptr,
          bytes),
      0);
  return path;
}

TEST(Preprocess, IsInTheFileOfTheWeights) {
  const TempFolder folder;
  const Snapshot snapshot = make_snapshot(3);
  const fs::path saved =
      Store(folder.path() / "checkpoints", {}).save(snapshot);
  EXPECT_EQ(
      checkpoint::read_preprocess(saved / checkpoint::kModelFile),
      snapshot.preprocess);
  EXPECT_TRUE(
      checkpoint::read_preprocess(saved / "optimizer.safetensors").is_null());
}

TEST(Preprocess, OtherWeightsHaveNone) {
  const TempFolder folder;
  EXPECT_TRUE(checkpoint::read_preprocess(weights_with(folder, {})).is_null());
  EXPECT_TRUE(
      checkpoint::read_preprocess(weights_with(folder, {{"format", "pt"}}))
          .is_null());
  Snapshot snapshot = make_snapshot(3);
  snapshot.preprocess = nullptr;
  const fs::path saved =
      Store(folder.path() / "checkpoints", {}).save(snapshot);
  EXPECT_TRUE(load(saved).preprocess.is_null());
}

TEST(Preprocess, NonsenseIsRefusedByName) {
  const TempFolder folder;
  for (const char* text : {"", "[1]", "{\"a\":"}) {
    const fs::path path = weights_with(folder, {{"preprocess", text}});
    try {
      checkpoint::read_preprocess(path);
      FAIL() << text;
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ExitCode::kWeights);
      expect_message(error.what(), {"w.safetensors"});
      expect_message(error.what(), {});
    }
  }
  EXPECT_THROW(checkpoint::read_preprocess(folder.path() / "missing"), Error);
}

} // namespace
} // namespace vitrain::states
