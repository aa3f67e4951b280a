#pragma once

#include <filesystem>

#include "core/json.h"

namespace vitrain::checkpoint {

// Key of the preprocessing record in the metadata of weights.
inline constexpr const char* kPreprocessKey = "preprocess";

// Returns the preprocessing record in the metadata of a .safetensors file,
// which copies of the file keep; null if there is none. Makes no torch calls.
// Throws Error(kWeights).
Json read_preprocess(const std::filesystem::path& weights);

} // namespace vitrain::checkpoint
