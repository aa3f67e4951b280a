#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "config/sections/model.h"
#include "job/job.h"
#include "networks/model.h"

namespace vitrain::engine {

// What the weights are for: a classifier that is evaluated, or teaches, is
// loaded, or it is an error.
enum class Purpose { kTrain, kEvaluate, kTeach };
Purpose purpose_of(const job::Job& job);

// Loads model.pretrained (of job::teacher_weights() that of a teacher), a file
// of weights or whatever find_checkpoint accepts, into the model. A manifest
// beside a file must agree with it. Returns lines for people: what was loaded,
// resized, left fresh. Throws Error(kWeights).
std::vector<std::string> load_pretrained(
    networks::Model& model,
    const models::ModelSpec& spec,
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
