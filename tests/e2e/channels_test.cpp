// Images of five channels, from files to a prediction.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <zlib.h>

#include <cstdint>
#include <fstream>
#include <sstream>

#include "program.h"

namespace vitrain::e2e {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::HasSubstr;

constexpr int kSide = 20;
constexpr int kChannels = 5;

void put(std::string& bytes, std::uint32_t value, int count) {
  for (int i = 0; i < count; ++i) {
    bytes += static_cast<char>(value >> (8 * i));
  }
}

// A TIFF of 8 bits a sample, in one strip.
std::string tiff(const std::string& pixels) {
  struct Entry {
    std::uint16_t tag;
    std::uint16_t type; // 3: 16 bits, 4: 32 bits
    std::uint32_t value;
  };
  constexpr std::uint32_t kBits = 8; // offset of the bit counts
  const std::uint32_t strip = kBits + 2 * kChannels;
  const auto size = static_cast<std::uint32_t>(pixels.size());
  const std::vector<Entry> entries{
      {256, 3, kSide},
      {257, 3, kSide},
      {258, 3, kBits},
      {259, 3, 1}, // not compressed
      {262, 3, 1}, // black is 0
      {273, 4, strip},
      {277, 3, kChannels},
      {278, 3, kSide},
      {279, 4, size}};
  std::string bytes = "II*";
  bytes += '\0';
  put(bytes, strip + size + size % 2, 4);
  for (int c = 0; c < kChannels; ++c) {
    put(bytes, 8, 2);
  }
  bytes += pixels + std::string(size % 2, '\0');
  put(bytes, static_cast<std::uint32_t>(entries.size()), 2);
  for (const Entry& entry : entries) {
    put(bytes, entry.tag, 2);
    put(bytes, entry.tag == 258 ? 3 : entry.type, 2);
    put(bytes, entry.tag == 258 ? kChannels : 1, 4);
    put(bytes, entry.value, 4);
  }
  put(bytes, 0, 4);
  return bytes;
}

// Only the last channel distinguishes the classes.
std::string image(int number, bool light) {
  std::string pixels;
  auto state = static_cast<std::uint32_t>(number);
  for (int i = 0; i < kSide * kSide; ++i) {
    for (int c = 0; c < kChannels; ++c) {
      state = state * 1664525 + 1013904223;
      const std::uint32_t noise = state >> 25;
      pixels +=
          static_cast<char>(c + 1 < kChannels ? noise : noise + 100 * light);
    }
  }
  return tiff(pixels);
}

class FiveChannels : public testing::Test {
 protected:
  FiveChannels() {
    for (const auto& [part, count] : {std::pair("train", 64), {"val", 20}}) {
      for (int i = 0; i < count; ++i) {
        const bool light = i % 2 != 0;
        folder_.write(
            std::string("data/") + part + (light ? "/light/" : "/dark/") +
                std::to_string(i) + ".tif",
            image(i + (count == 64 ? 0 : 1000), light));
      }
    }
  }

  Options options(const Words& set = {}) const {
    Options options{
        .devices = "cpu:2",
        .set = {
            "model.in_chans=5",
            "data.train.kind=folder",
            "data.eval.kind=folder",
            "data.train.path=" + (folder_ / "data/train").native(),
            "data.eval.path=" + (folder_ / "data/val").native(),
            "data.batch_size=8",
            "run.epochs=8"}};
    options.set.insert(options.set.end(), set.begin(), set.end());
    return options;
  }

  Result refused(const Words& set) const {
    return run(tiny_run(folder_ / "refused", options(set)));
  }

  TempFolder folder_;
};

TEST_F(FiveChannels, AreTrainedEvaluatedPredictedAndExported) {
  const fs::path trained = train(
      folder_ / "runs",
      options(
          {"data.augment.erasing=0.25",
           "data.augment.mixup=0.2",
           "log.samples=true"}));
  EXPECT_EQ(records(trained, "eval").back().at("top1"), 100.0);
  EXPECT_TRUE(fs::exists(trained / "samples.png"));

  const Result predicted = run(
      {"predict",
       (folder_ / "data/val").native(),
       "-pretrained",
       trained.native()});
  ASSERT_EQ(predicted.exit_code, 0) << predicted.err;
  EXPECT_THAT(predicted.out, HasSubstr("light"));

  const fs::path model = folder_ / "model.onnx";
  const Result exported = run(
      {"export",
       "-pretrained",
       trained.native(),
       "-format",
       "onnx",
       "-output",
       model.native()});
  ASSERT_EQ(exported.exit_code, 0) << exported.err;
  EXPECT_THAT(slurp(model), HasSubstr("[5,16,16]"));
}

TEST_F(FiveChannels, StartFromWeightsOfColours) {
  const fs::path colours = train(
      folder_ / "colours",
      {.devices = "cpu:1", .set = {"run.max_steps=2", "schedule.warmup=0st"}});
  const Result result = run(tiny_run(
      folder_ / "runs",
      options({"model.pretrained=" + colours.native(), "run.epochs=3"})));
  ASSERT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(
      result.out,
      HasSubstr("colours repeated in turn for the channels, times 3 over "
                "their number: patch_embed.proj.weight"));
}

TEST_F(FiveChannels, MistakesAreNamed) {
  Result result = refused({"data.train.kind=shapes", "data.train.path=null"});
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_THAT(result.err, HasSubstr("model.in_chans: in_chans is 5"));
  result = refused({"data.augment.color_jitter=[0.4]"});
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_THAT(
      result.err,
      HasSubstr("data.augment.color_jitter: is for colours, and images have 5 "
                "channels"));
  result = refused({"model.in_chans=4", "run.epochs=3"});
  EXPECT_EQ(result.exit_code, 3);
  EXPECT_THAT(
      result.err,
      AllOf(HasSubstr(".tif: its pixels have 5 channels, and 4 are wanted")));
}

TEST_F(FiveChannels, AreCheckedAndShown) {
  const Options wanted = options();
  Words words{"data", "check", "-cfg", kTiny};
  Words show{
      "data", "show", "-cfg", kTiny, "-out", (folder_ / "sheet.png").native()};
  for (const std::string& set : wanted.set) {
    for (Words* each : {&words, &show}) {
      each->insert(each->end(), {"-set", set});
    }
  }
  Result result = run(words);
  EXPECT_EQ(result.exit_code, 0) << result.out << result.err;
  EXPECT_THAT(result.out, HasSubstr("64"));
  EXPECT_EQ(run(show).exit_code, 0);
  words.insert(words.end(), {"-set", "model.in_chans=6"});
  result = run(words);
  EXPECT_EQ(result.exit_code, 3);
  EXPECT_THAT(
      result.out, HasSubstr("its pixels have 5 channels, and 6 are wanted"));
}

// tests/golden/image/make_channels.py: torchvision's pixels of each channel.
TEST(Channels, AreCroppedAsTorchvisionCropsGreyImages) {
  const fs::path golden = VITRAIN_SOURCE_DIR "/tests/golden/image";
  std::istringstream table(slurp(golden / "channels.csv"));
  std::string line;
  std::getline(table, line); // the header
  int rows = 0;
  const TempFolder folder;
  while (std::getline(table, line)) {
    SCOPED_TRACE(line);
    std::vector<std::string> row;
    std::istringstream fields(line);
    for (std::string field; std::getline(fields, field, ',');) {
      row.push_back(field);
    }
    const fs::path out = folder / "x.npy";
    const Result result = run(
        {"data",
         "dump",
         (golden / "channels" / row.at(0)).native(),
         "-cfg",
         kTiny,
         "-set",
         "model.in_chans=" + row.at(1),
         "-set",
         "data.train.kind=random",
         "-set",
         "data.eval.kind=random",
         "-set",
         "data.preprocess.crop_pct=0.875",
         "-set",
         "data.preprocess.pillow=13",
         "-out",
         out.native()});
    ASSERT_EQ(result.exit_code, 0) << result.err;
    const std::string bytes = slurp(out);
    ASSERT_EQ(bytes.size(), 128 + 256 * std::stoul(row.at(1)));
    EXPECT_EQ(
        std::to_string(crc32(
            0,
            reinterpret_cast<const Bytef*>(bytes.data()) + 128,
            static_cast<uInt>(bytes.size() - 128))),
        row.at(5));
    ++rows;
  }
  EXPECT_GE(rows, 10);
}

} // namespace
} // namespace vitrain::e2e
