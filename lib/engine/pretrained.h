#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "config/model.h"
#include "models/model.h"

namespace vitrain::engine {

// The checkpoint folder that a path means: itself, or for a run folder (or its
// checkpoints/) the one to continue from (`best`: the best one). Throws
// Error(kWeights) saying what is there instead.
std::filesystem::path find_checkpoint(
    const std::filesystem::path& path,
    bool best);

// Loads model.pretrained, a .safetensors file or whatever find_checkpoint
// accepts, into the model. Returns lines for people: what was loaded, resized,
// left fresh. Throws Error(kWeights).
std::vector<std::string> load_pretrained(
    models::Model& model,
    const config::ModelConfig& config);

} // namespace vitrain::engine
