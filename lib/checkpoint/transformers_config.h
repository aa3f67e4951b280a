#pragma once

#include <filesystem>

#include "checkpoint/published_config.h"
#include "core/json.h"

namespace vitrain::checkpoint {

inline constexpr const char* kConfigFile = "config.json";
inline constexpr const char* kPreprocessorFile = "preprocessor_config.json";

// True if a config.json was written by transformers' save_pretrained().
bool is_transformers_config(const Json& config);

// Adds the preprocessing that transformers' image processors derive from a
// folder's preprocessor_config.json, and the class names in its config.json.
// Either JSON may be null.
void read_transformers(
    const std::filesystem::path& folder,
    const Json& config,
    const Json& preprocessor,
    PublishedConfig& published);

} // namespace vitrain::checkpoint
