#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "core/json.h"

namespace vitrain::checkpoint {

// Purpose for which weights are loaded. For some networks timm's config.json
// has other image sizes and crops for evaluation: test_input_size,
// test_crop_pct.
enum class WeightsUse { kTraining, kEvaluation };

// Preprocessing and classes that timm or transformers wrote into the folder of
// a weights file: config.json and, for transformers, preprocessor_config.json.
struct PublishedConfig {
  // Name of the file with the preprocessing: "config.json" or
  // "preprocessor_config.json". "": no such file is usable; `keys` may then be
  // from the weights file itself.
  std::string source;
  // timm's name of the network, without a tag; "": unknown.
  std::string architecture;
  // Values by key of the recipe: data.preprocess.* and model.image_size.
  Json keys = Json::object();
  std::int64_t num_classes = 0; // 0: unknown, or no classifier
  std::vector<std::string> classes; // num_classes names; empty: unknown
  // Sentences about values that cannot be used.
  std::vector<std::string> notes;
};

// Reads the files in the folder of the file `weights`, or else the config
// inside that file (weights/torch_config.h). Returns nullopt if there is
// nothing. A file that cannot be read gives a result with a note; no file
// content makes the function throw. Makes no torch calls.
std::optional<PublishedConfig> read_published_config(
    const std::filesystem::path& weights,
    WeightsUse use);

// Returns timm's config.json of a network: `published` as timm writes it.
// `published.keys` must have data.preprocess.mean, std, interpolation,
// crop_mode and crop_pct or resize, and model.image_size. `fixed_size`: the
// network is created for this image size.
Json timm_config(
    const PublishedConfig& published,
    std::int64_t channels,
    bool fixed_size);

// Sets data.preprocess.crop_pct in `keys` such that images are resized to
// `resized` pixels and cropped to `side` pixels; `side` must not exceed
// `resized`.
void set_crop(std::int64_t side, std::int64_t resized, Json& keys);

} // namespace vitrain::checkpoint
