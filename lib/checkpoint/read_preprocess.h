#pragma once

#include <filesystem>

#include "core/json.h"

namespace vitrain::checkpoint {

// Key of the preprocessing record in the metadata of weights.
inline constexpr const char* kPreprocessKey = "preprocess";

// Returns the preprocessing record in the metadata of a safetensors file; null
// if it has none, or for another format. Makes no torch calls. Throws
// Error(kWeights), also if the record is not a JSON object.
Json read_preprocess(const std::filesystem::path& weights);

} // namespace vitrain::checkpoint
