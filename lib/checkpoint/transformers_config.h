#pragma once

#include <filesystem>

#include "checkpoint/published_config.h"
#include "core/json.h"

namespace vitrain::checkpoint {

inline constexpr const char* kConfigFile = "config.json";
inline constexpr const char* kPreprocessorFile = "preprocessor_config.json";

// True if `config`, the content of a config.json, looks like transformers': it
// has a text `model_type` or a list `architectures`. Accepts null.
bool is_transformers_config(const Json& config);

// Adds to `published` the preprocessing that transformers' image processors
// derive from `preprocessor`, the content of a folder's
// preprocessor_config.json, and the network (transformers_network()) and class
// names in `config`, the content of its config.json. Null: no such file;
// without `preprocessor` only the image size of `config` and a note stand for
// the preprocessing. `folder` is used for messages only.
void read_transformers(
    const std::filesystem::path& folder,
    const Json& config,
    const Json& preprocessor,
    PublishedConfig& published);

} // namespace vitrain::checkpoint
