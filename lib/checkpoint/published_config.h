#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "core/text/json.h"

namespace vitrain::checkpoint {

// Use of the weights. timm has two sizes and crops of images for some networks:
// input_size for training and test_input_size for evaluation.
enum class WeightsUse { kTraining, kEvaluation };

// Pre-processing that timm or transformers wrote into the folder of a file of
// weights: config.json, with transformers' preprocessor_config.json.
struct PublishedConfig {
  std::string source; // name of the file that says it: "config.json"
  std::string architecture; // timm's name of the network; "": not said
  // Values of a recipe's keys: data.preprocess.* and model.image_size.
  Json keys = Json::object();
  std::int64_t num_classes = 0; // 0: not said, or no classifier
  std::vector<std::string> classes; // num_classes names; empty: not said
  // Sentences for people: values that cannot be used.
  std::vector<std::string> notes;
};

// Reads the files in the folder of `weights`. Returns nothing if neither
// program wrote one there. A file that cannot be read becomes a note; no
// content throws. Makes no torch call.
std::optional<PublishedConfig> read_published_config(
    const std::filesystem::path& weights,
    WeightsUse use);

// Puts the crop of `side` pixels out of an image that was resized to `resized`
// into keys, as data.preprocess.crop_pct.
void set_crop(std::int64_t side, std::int64_t resized, Json& keys);

} // namespace vitrain::checkpoint
