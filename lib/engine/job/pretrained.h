#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "config/sections/model.h"
#include "engine/job/job.h"
#include "models/model.h"

namespace vitrain::engine {

// The checkpoint folder that a path means: itself, the one that a file `best`
// or `latest` names, or for a run folder (or its checkpoints/) the one to
// continue from (`best`: the best one). What is passed over for it is described
// in `rejected` when that is not null. Throws Error(kWeights) saying what is
// there instead.
std::filesystem::path find_checkpoint(
    const std::filesystem::path& path,
    bool best,
    std::vector<std::string>* rejected = nullptr);

// Whether a path is one for find_checkpoint, not a file of weights.
bool is_checkpoint_path(const std::filesystem::path& path);

// Throws Error(kWeights) when model.pretrained names nothing.
void check_exists(const config::ModelConfig& model);

// What the weights are for: a classifier that is evaluated is loaded, or it is
// an error.
enum class Purpose { kTrain, kEvaluate };
Purpose purpose_of(const Job& job);

// Loads model.pretrained, a .safetensors file or whatever find_checkpoint
// accepts, into the model. A manifest beside a file must agree with it. Returns
// lines for people: what was loaded, resized, left fresh. Throws
// Error(kWeights).
std::vector<std::string> load_pretrained(
    models::Model& model,
    const config::ModelConfig& config,
    Purpose purpose);

// What load_pretrained would say and throw for such a model, from the file's
// header; only its values are not looked at. Makes no torch call.
std::vector<std::string> match_pretrained(
    const models::ModelSpec& spec,
    const config::ModelConfig& config,
    Purpose purpose);

// The same for the checkpoint that a run goes on from: all of it must fit.
std::vector<std::string> match_checkpoint(
    const models::ModelSpec& spec,
    const std::filesystem::path& folder);

} // namespace vitrain::engine
