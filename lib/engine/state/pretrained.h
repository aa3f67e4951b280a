#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "config/sections/model.h"
#include "job/run/job.h"
#include "networks/model.h"

namespace vitrain::engine {

// Use of the weights. For evaluation and for teachers, a classifier that cannot
// be loaded is an error.
enum class PretrainedUse { kTrain, kEvaluate, kTeach };
PretrainedUse purpose_of(const job::Job& job);

// Loads model.pretrained (or the teacher's weights, job::teacher_weights())
// into the model: a weights file, or anything that find_checkpoint() accepts.
// If there is a manifest next to the file, the file must agree with it. Returns
// lines for the user: loaded, resized and newly initialised tensors. Throws
// Error(kWeights).
std::vector<std::string> load_pretrained(
    networks::Model& model,
    const models::ModelSpec& spec,
    const config::ModelConfig& config,
    PretrainedUse purpose);

// Returns the lines of load_pretrained() and throws its errors, but reads only
// the file's header: values are not checked. Makes no torch call.
std::vector<std::string> match_pretrained(
    const models::ModelSpec& spec,
    const config::ModelConfig& config,
    PretrainedUse purpose);

// Same as match_pretrained(), for the checkpoint from which a run resumes: all
// tensors must fit.
std::vector<std::string> match_checkpoint(
    const models::ModelSpec& spec,
    const std::filesystem::path& folder);

} // namespace vitrain::engine
