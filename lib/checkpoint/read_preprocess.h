#pragma once

#include <filesystem>

#include "core/text/json.h"

namespace vitrain::checkpoint {

// Key of the record of pre-processing in the metadata of weights.
inline constexpr const char* kPreprocessKey = "preprocess";

// The record that a .safetensors file carries in its metadata: how the inputs
// of its model are made. It is part of the weights' own file, so that they keep
// it wherever they are copied. Null where there is none. Makes no torch call.
// Throws Error(kWeights).
Json read_preprocess(const std::filesystem::path& weights);

} // namespace vitrain::checkpoint
