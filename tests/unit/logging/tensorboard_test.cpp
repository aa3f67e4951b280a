#include "logging/tensorboard.h"

#include <cstdio>
#include <limits>
#include <set>

#include <fmt/format.h>

#include "core/json.h"
#include "logging/event.h"
#include "logging/metrics_log.h"
#include "support.h"

namespace vitrain::logging {
namespace {

std::string shell_output(const std::string& command) {
  std::string text;
  FILE* pipe = ::popen(command.c_str(), "r");
  std::array<char, 4096> part{};
  std::size_t got = 0;
  while ((got = std::fread(part.data(), 1, part.size(), pipe)) > 0) {
    text.append(part.data(), got);
  }
  return ::pclose(pipe) == 0 ? text : "";
}

TEST(TensorBoard, EveryStartGetsAFileOfItsOwn) {
  const TempFolder folder;
  std::set<std::filesystem::path> names;
  for (int i = 0; i < 3; ++i) {
    const TensorBoardWriter writer(folder.path());
    EXPECT_EQ(writer.sink().dropped(), 0);
    EXPECT_EQ(
        writer.path().filename().string().rfind("events.out.tfevents.", 0), 0u);
    EXPECT_GT(std::filesystem::file_size(writer.path()), 0u);
    names.insert(writer.path());
  }
  EXPECT_EQ(names.size(), 3u);
}

TEST(TensorBoard, RecordsFollowOneAnother) {
  const TempFolder folder;
  TensorBoardWriter writer(folder.path(), /*resumed_step=*/7);
  writer.scalar("a b", 1.0, 8);
  writer.text("config", "x", 7);
  const std::string bytes = slurp(writer.path());
  // Each record: length, CRC of it, payload, CRC of that.
  std::vector<std::string> payloads;
  for (std::size_t at = 0; at < bytes.size();) {
    std::uint64_t size = 0;
    ASSERT_LE(at + 16, bytes.size());
    bytes.copy(reinterpret_cast<char*>(&size), sizeof(size), at);
    ASSERT_LE(at + 16 + size, bytes.size());
    payloads.push_back(bytes.substr(at + 12, size));
    EXPECT_EQ(tf_record(payloads.back()), bytes.substr(at, 16 + size));
    at += 16 + size;
  }
  ASSERT_EQ(payloads.size(), 4u);
  EXPECT_NE(payloads[0].find("brain.Event:2"), std::string::npos);
  EXPECT_EQ(payloads[1].substr(9), restart_event(1.0, 8).substr(9));
  EXPECT_EQ(payloads[2].substr(9), scalar_event(1.0, 8, "a_b", 1).substr(9));
  EXPECT_EQ(payloads[3].substr(9), text_event(1.0, 7, "config", "x").substr(9));
}

TEST(TensorBoard, AMissingFolderCostsOnlyTheEvents) {
  const TempFolder folder;
  TensorBoardWriter writer(folder / "missing");
  writer.scalar("a", 1, 1);
  EXPECT_EQ(writer.sink().dropped(), 2);
  EXPECT_EQ(writer.sink().error(), "No such file or directory");
}

// A run that was killed at step 5 and resumed from step 3, as TensorBoard
// itself reads it; one more event is torn.
TEST(TensorBoard, ItsOwnReaderSeesEveryStepOnceAfterAResume) {
  const char* python = std::getenv("VITRAIN_PEER_PYTHON");
  if (python == nullptr) {
    GTEST_SKIP() << "VITRAIN_PEER_PYTHON does not name a Python that has "
                    "tensorboard";
  }
  const TempFolder folder;
  std::filesystem::path first;
  {
    TensorBoardWriter writer(folder.path());
    first = writer.path();
    writer.text("config", "# title\nname: \u00e9", 0);
    for (int step = 1; step <= 5; ++step) {
      writer.scalar("train/loss", step / 8.0, step);
    }
  }
  std::filesystem::resize_file(first, std::filesystem::file_size(first) - 5);
  {
    TensorBoardWriter writer(folder.path(), /*resumed_step=*/3);
    for (int step = 4; step <= 6; ++step) {
      writer.scalar("train/loss", step / 4.0, step);
    }
    writer.scalar("odd ../name", std::numeric_limits<double>::infinity(), 6);
  }
  const Json seen = Json::parse(
      shell_output(fmt::format(
          "'{}' '{}/tests/golden/logging/read_events.py' '{}' 2>/dev/null",
          python,
          VITRAIN_SOURCE_DIR,
          folder.path().string())),
      nullptr,
      /*allow_exceptions=*/false);
  ASSERT_TRUE(seen.is_object()) << "the reader failed";
  EXPECT_EQ(
      seen["scalars"]["train/loss"],
      Json::parse("[[1,0.125],[2,0.25],[3,0.375],[4,1.0],[5,1.25],[6,1.5]]"));
  EXPECT_EQ(seen["scalars"]["odd_../name"], Json::parse("[[6,\"inf\"]]"));
  EXPECT_EQ(seen["texts"]["config"], (Json{Json{0, "# title\nname: \u00e9"}}));
}

// A run as TensorBoard's images and hparams pages show it.
TEST(TensorBoard, ItsOwnPagesShowPicturesAndHyperparameters) {
  const char* python = std::getenv("VITRAIN_PEER_PYTHON");
  if (python == nullptr) {
    GTEST_SKIP() << "VITRAIN_PEER_PYTHON does not name a Python that has "
                    "tensorboard";
  }
  const TempFolder folder;
  {
    config::Recipe recipe;
    recipe.optim.lr = 0.25;
    recipe.train.bce_sum = true;
    recipe.data.augment.auto_augment = "3a";
    MetricsLog log(folder.path(), recipe.log);
    log.begin(recipe);
    log.write({{"kind", "eval"}, {"step", 4}, {"top1", 50.0}, {"count", 8}});
    log.picture("samples", {std::string(64, 'x'), 20, 10}, "samples.png", 1);
    std::filesystem::create_directories(folder.path() / "evaluation");
    spill(
        folder.path() / "evaluation" / "confusion.png",
        std::string("\x89PNG\r\n\x1a\n\0\0\0\rIHDR", 16) +
            std::string("\0\0\1\2\0\0\0\5rest", 12));
    log.write({{"kind", "done"}, {"exit", 0}});
    log.close();
  }
  const Json seen = Json::parse(
      shell_output(fmt::format(
          "'{}' '{}/tests/golden/logging/read_events.py' '{}' hparams "
          "2>/dev/null",
          python,
          VITRAIN_SOURCE_DIR,
          folder.path().string())),
      nullptr,
      /*allow_exceptions=*/false);
  ASSERT_TRUE(seen.is_object()) << "the reader failed";
  EXPECT_EQ(seen["images"], Json::parse(R"({"samples": [[1, 20, 10]],
                      "evaluation/confusion": [[4, 258, 5]]})"));
  const Json& page = seen["hparams"];
  EXPECT_EQ(page["status"], "STATUS_SUCCESS");
  EXPECT_EQ(page["metrics"], Json::parse(R"(["eval/top1"])"));
  EXPECT_EQ(page["values"]["optim.lr"], 0.25);
  EXPECT_EQ(page["values"]["train.bce_sum"], true);
  EXPECT_EQ(page["values"]["data.augment.auto_augment"], "3a");
  EXPECT_EQ(page["values"]["model.name"], "vit_small_patch16_224");
  EXPECT_FALSE(page["values"].contains("data.augment.flip")); // by default
  EXPECT_EQ(page["columns"].size(), page["values"].size());
}

} // namespace
} // namespace vitrain::logging
