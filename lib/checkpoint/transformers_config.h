#pragma once

#include <filesystem>

#include "checkpoint/published_config.h"
#include "core/text/json.h"

namespace vitrain::checkpoint {

inline constexpr const char* kConfigFile = "config.json";
inline constexpr const char* kPreprocessorFile = "preprocessor_config.json";

// Whether a config.json is one of transformers' save_pretrained().
bool is_transformers_config(const Json& config);

// Adds what transformers' image processors do by the preprocessor_config.json
// of a folder, and the names of the classes in its config.json. Either may be
// null.
void read_transformers(
    const std::filesystem::path& folder,
    const Json& config,
    const Json& preprocessor,
    PublishedConfig& published);

} // namespace vitrain::checkpoint
