#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "config/sections/model.h"
#include "job/run/job.h"
#include "networks/model.h"

namespace vitrain::engine {

// Use of pretrained weights. For evaluation and for teachers, a classifier that
// cannot be loaded is an error.
enum class PretrainedUse { kTrain, kEvaluate, kTeach };
// Returns the use of model.pretrained: kEvaluate or kTrain.
PretrainedUse purpose_of(const job::Job& job);

// Loads config.pretrained, which must be set, into the model: a weights file, a
// checkpoint, or a run (its best checkpoint, or the newest valid one if none is
// marked as best). `config`: the recipe's model or, for kTeach,
// job::teacher_weights(). Adapters in the file are merged; the model's own keep
// their initial values. If there is a manifest next to the file, the file must
// agree with it. Returns lines for the user: loaded, resized and newly
// initialised tensors, and warnings. Throws Error(kWeights); Error(kUsage) if a
// checkpoint has no part of the name `pretrained_part`.
std::vector<std::string> load_pretrained(
    networks::Model& model,
    const models::ModelSpec& spec,
    const config::ModelConfig& config,
    PretrainedUse purpose);

// Returns the lines of load_pretrained(), with "would load", and throws its
// errors, except those that depend on values, which are not loaded. Builds the
// network without memory.
std::vector<std::string> match_pretrained(
    const models::ModelSpec& spec,
    const config::ModelConfig& config,
    PretrainedUse purpose);

// Same as match_pretrained(), for `folder`, the checkpoint from which a run
// resumes: the classifier must fit, too.
std::vector<std::string> match_checkpoint(
    const models::ModelSpec& spec,
    const std::filesystem::path& folder);

} // namespace vitrain::engine
