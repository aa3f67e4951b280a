#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "config/model.h"
#include "models/model.h"

namespace vitrain::engine {

// The checkpoint folder that a path means: itself, the one that a file `best`
// or `latest` names, or for a run folder (or its checkpoints/) the one to
// continue from (`best`: the best one). Throws Error(kWeights) saying what is
// there instead.
std::filesystem::path find_checkpoint(
    const std::filesystem::path& path,
    bool best);

// Whether a path is one for find_checkpoint, not a file of weights.
bool is_checkpoint_path(const std::filesystem::path& path);

// Throws Error(kWeights) when model.pretrained names nothing.
void check_exists(const config::ModelConfig& model);

// Loads model.pretrained, a .safetensors file or whatever find_checkpoint
// accepts, into the model. Returns lines for people: what was loaded, resized,
// left fresh. Throws Error(kWeights).
std::vector<std::string> load_pretrained(
    models::Model& model,
    const config::ModelConfig& config);

} // namespace vitrain::engine
