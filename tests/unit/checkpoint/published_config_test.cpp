// Config files of timm and transformers, compared with the preprocessing of
// their own code (tests/golden/weights/make_published.py).

#include "checkpoint/published_config.h"

#include <cmath>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "checkpoint/transformers_network.h"
#include "support/files.h"
#include "support/messages.h"

namespace vitrain::checkpoint {
namespace {

namespace fs = std::filesystem;

using enum WeightsUse;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

const fs::path kGolden = VITRAIN_SOURCE_DIR "/tests/golden/weights/published";

Json expected() {
  std::ifstream file(kGolden / "expected.json");
  return Json::parse(file);
}

PublishedConfig read(const fs::path& folder, WeightsUse use = kEvaluation) {
  auto found = read_published_config(folder / "model.safetensors", use);
  EXPECT_TRUE(found.has_value()) << folder;
  return found.value_or(PublishedConfig{});
}

// Columns of an image of 512 x 256 pixels that evaluation sees.
double seen_columns(const Json& keys) {
  const double side = keys.at("model.image_size").get<double>();
  const double resized = keys.contains("data.preprocess.resize")
      ? keys.at("data.preprocess.resize").get<double>()
      : std::floor(side / keys.at("data.preprocess.crop_pct").get<double>());
  const bool squash = keys.at("data.preprocess.crop_mode") == "squash";
  return side / resized * (squash ? 512.0 : 256.0);
}

void expect_near(const Json& own, const Json& theirs, const std::string& name) {
  ASSERT_EQ(own.size(), 3U) << name;
  for (std::size_t i = 0; i < 3; ++i) {
    // Theirs are measured in fp32, as differences of values up to 5.
    EXPECT_NEAR(own[i].get<double>(), theirs[i].get<double>(), 1e-6) << name;
  }
}

TEST(PublishedConfig, SaysWhatImageProcessorsDo) {
  const Json all = expected();
  for (const auto& [name, theirs] : all.items()) {
    if (name.starts_with("timm")) {
      continue;
    }
    const PublishedConfig own = read(kGolden / name);
    const Json& keys = own.keys;
    EXPECT_EQ(keys.at("model.image_size"), theirs.at("image_size")) << name;
    EXPECT_EQ(keys.at("data.preprocess.interpolation"), theirs.at("filter"))
        << name;
    expect_near(keys.at("data.preprocess.mean"), theirs.at("mean"), name);
    expect_near(keys.at("data.preprocess.std"), theirs.at("std"), name);
    // An edge within a pixel of the output is that many columns wide.
    EXPECT_NEAR(seen_columns(keys), theirs.at("columns").get<double>(), 0.6)
        << name;
    const Json classes = theirs.value("classes", Json::array());
    EXPECT_EQ(own.num_classes, std::ssize(classes)) << name;
    if (!classes.empty() && classes.front() != "0") {
      EXPECT_EQ(Json(own.classes), classes) << name;
    } else {
      EXPECT_THAT(own.classes, IsEmpty()) << name;
    }
    EXPECT_THAT(own.notes, IsEmpty()) << name;
  }
}

TEST(PublishedConfig, SaysWhatTimmResolves) {
  for (const char* name : {"timm", "timm_test_size", "timm_old"}) {
    for (const WeightsUse use : {kTraining, kEvaluation}) {
      const Json theirs =
          expected().at(name).at(use == kTraining ? "training" : "evaluation");
      const PublishedConfig own = read(kGolden / name, use);
      EXPECT_EQ(own.architecture, theirs.at("architecture"));
      Json size = own.keys.at("model.image_size");
      if (!size.is_array()) {
        size = Json::array({size, size});
      }
      EXPECT_EQ(size, theirs.at("image_size")) << name;
      EXPECT_EQ(own.keys.at("data.preprocess.mean"), theirs.at("mean"));
      EXPECT_EQ(own.keys.at("data.preprocess.std"), theirs.at("std"));
      EXPECT_EQ(
          own.keys.at("data.preprocess.interpolation"), theirs.at("filter"));
      EXPECT_EQ(own.keys.at("data.preprocess.crop_pct"), theirs.at("crop_pct"));
      EXPECT_EQ(
          own.keys.value("data.preprocess.crop_mode", Json("center")),
          theirs.at("crop_mode"));
      EXPECT_EQ(own.num_classes, theirs.at("num_classes").get<std::int64_t>());
      EXPECT_EQ(Json(own.classes), theirs.at("classes")) << name;
      EXPECT_THAT(own.notes, IsEmpty());
    }
  }
}

TEST(PublishedConfig, OfOtherProgramsIsNone) {
  const TempFolder folder;
  const auto found = [&] {
    return read_published_config(folder / "model.pth", kTraining).has_value();
  };
  EXPECT_FALSE(found());
  for (const char* text : {"{}", R"({"mean": [1, 2, 3]})"}) {
    folder.write("config.json", text);
    EXPECT_FALSE(found()) << text;
  }
}

// Configs of transformers 5.24.0, and timm's networks with as many parameters.
TEST(PublishedConfig, TransformersNetworksHaveTimmsNames) {
  const Json rows =
      Json::parse(slurp(kGolden.parent_path() / "transformers_networks.json"));
  EXPECT_GT(rows.size(), 20U);
  for (const Json& row : rows) {
    EXPECT_EQ(transformers_network(row.at("config")), row.at("name"));
  }
  for (const char* text :
       {"{}",
        R"({"model_type": "vit"})",
        R"({"model_type": 1})",
        R"({"model_type": "vit", "hidden_size": 100,
            "num_hidden_layers": 12})"}) {
    EXPECT_EQ(transformers_network(Json::parse(text)), "");
  }
}

// Settings in checkpoints: make_pickle_files.py.
TEST(PublishedConfig, CheckpointsOfTrainingProgramsSayTheirSettings) {
  const fs::path pickles = kGolden.parent_path() / "pickles";
  const auto own = [&](const char* name) {
    const auto found = read_published_config(pickles / name, kEvaluation);
    EXPECT_TRUE(found.has_value()) << name;
    return found.value_or(PublishedConfig{});
  };
  const PublishedConfig timm = own("settings_timm.pth");
  EXPECT_EQ(timm.architecture, "resnet50");
  EXPECT_EQ(timm.keys, Json::parse(R"({"data.preprocess.mean": [0.1, 0.2, 0.3],
          "data.preprocess.interpolation": "bilinear",
          "model.image_size": 160})"));
  const PublishedConfig cfg = own("settings_timm_cfg.pth");
  EXPECT_EQ(cfg.architecture, "resnet18");
  EXPECT_THAT(cfg.classes, ElementsAre("cat", "dog"));
  EXPECT_EQ(cfg.keys, Json::parse(R"({"data.preprocess.mean": [0.1, 0.2, 0.3],
          "data.preprocess.crop_pct": 0.5, "model.image_size": [96, 128]})"));
  const PublishedConfig torchvision = own("settings_torchvision.pth");
  EXPECT_EQ(torchvision.architecture, "vit_b_16");
  EXPECT_EQ(torchvision.keys.at("data.preprocess.crop_pct"), 0.875);
  EXPECT_EQ(torchvision.keys.at("data.preprocess.interpolation"), "bilinear");
  EXPECT_EQ(torchvision.keys.at("model.image_size"), 224);
  const PublishedConfig deit = own("settings_deit.pth");
  EXPECT_EQ(deit.architecture, "deit_small_patch16_224");
  EXPECT_EQ(deit.keys, Json::parse(R"({"model.image_size": 192})"));
  for (const PublishedConfig& one : {timm, cfg, torchvision, deit}) {
    EXPECT_THAT(one.notes, IsEmpty());
  }
  for (const char* name : {"objects_2.pth", "legacy_2.pth"}) {
    EXPECT_FALSE(read_published_config(pickles / name, kEvaluation)) << name;
  }
}

TEST(PublishedConfig, AValueThatCannotBeUsedIsANote) {
  const TempFolder folder;
  folder.write("config.json", R"({
    "architecture": "resnet18.a1", "num_classes": 2.5, "label_names": ["a", 1],
    "pretrained_cfg": {"mean": [0.5, 0.5], "std": [0, 1, 1], "crop_pct": 1.5,
      "interpolation": "random", "crop_mode": 7, "input_size": [3, 224]}})");
  const PublishedConfig own = read(folder.path());
  EXPECT_EQ(own.architecture, "resnet18");
  EXPECT_TRUE(own.keys.empty()) << own.keys;
  EXPECT_EQ(own.notes.size(), 8U);
  for (const std::string& note : own.notes) {
    expect_message(note, {"config.json"});
  }
  EXPECT_THAT(
      own.notes, testing::Contains(HasSubstr("'crop_pct' is not used: 1.5")));
  for (const char* text : {"{\"pretrained_cfg\": {", "[1, 2]", "3"}) {
    folder.write("config.json", text);
    EXPECT_THAT(
        read(folder.path()).notes, ElementsAre(HasSubstr("config.json")))
        << text;
  }
}

TEST(PublishedConfig, ProcessorsThatCannotBeFollowedAreNotes) {
  const TempFolder folder;
  const auto notes = [&](const std::string& text) {
    folder.write("preprocessor_config.json", text);
    return read(folder.path()).notes;
  };
  const std::string colours =
      R"("image_mean": [0.5, 0.5, 0.5], "image_std": [0.5, 0.5, 0.5])";
  EXPECT_THAT(
      notes("{" + colours + R"(, "size": {"longest_edge": 640}})"),
      ElementsAre(HasSubstr("'size'")));
  EXPECT_THAT(
      notes("{" + colours + R"(, "do_resize": false})"),
      ElementsAre(HasSubstr("do_resize")));
  EXPECT_THAT(
      notes("{" + colours + R"(, "resample": 9})"),
      ElementsAre(HasSubstr("'resample'")));
  EXPECT_THAT(notes("{}"), ElementsAre(HasSubstr("image_mean")));
}

// 289 / (289 / 346) is 345.99999999999994.
TEST(PublishedConfig, ACropGivesTheSizeThatItIsOf) {
  for (std::int64_t side = 1; side < 512; side += 3) {
    for (std::int64_t resized = side; resized < 600; resized += 7) {
      Json keys;
      set_crop(side, resized, keys);
      const double share = keys.at("data.preprocess.crop_pct").get<double>();
      ASSERT_EQ(
          std::floor(static_cast<double>(side) / share),
          static_cast<double>(resized))
          << side;
      ASSERT_LE(share, 1.0);
    }
  }
}

} // namespace
} // namespace vitrain::checkpoint
