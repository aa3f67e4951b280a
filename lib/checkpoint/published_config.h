#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "core/json.h"

namespace vitrain::checkpoint {

// Purpose of the weights. For some networks timm has different image sizes and
// crops: input_size for training, test_input_size for evaluation.
enum class WeightsUse { kTraining, kEvaluation };

// Preprocessing that timm or transformers wrote into the folder of a weights
// file: config.json and, for transformers, preprocessor_config.json.
struct PublishedConfig {
  std::string source; // file that contains it: "config.json"
  std::string architecture; // timm's name of the network; "": unknown
  // Values of a recipe's keys: data.preprocess.* and model.image_size.
  Json keys = Json::object();
  std::int64_t num_classes = 0; // 0: unknown, or no classifier
  std::vector<std::string> classes; // num_classes names; empty: unknown
  // Sentences about values that cannot be used.
  std::vector<std::string> notes;
};

// Reads the files in the folder of `weights`. Returns nullopt if neither
// program wrote one there. A file that cannot be read adds a note; no file
// content makes it throw. Makes no torch calls.
std::optional<PublishedConfig> read_published_config(
    const std::filesystem::path& weights,
    WeightsUse use);

// Adds data.preprocess.crop_pct to `keys` such that images resized to `resized`
// pixels are cropped to `side` pixels.
void set_crop(std::int64_t side, std::int64_t resized, Json& keys);

} // namespace vitrain::checkpoint
