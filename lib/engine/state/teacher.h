#pragma once

#include <memory>
#include <string>
#include <vector>

#include "config/sections/recipe.h"
#include "engine/device/session.h"
#include "networks/model.h"

namespace vitrain::engine {

// Returns the teacher of train.distill with its weights, on the device, in
// evaluation mode; null without distillation. Rank 0 loads and logs the weights
// and sends them to all ranks. Throws Error(kUsage), on rank 0 also
// Error(kWeights). Collective.
std::shared_ptr<networks::Model> make_teacher(Session& session);

// Returns the lines that make_teacher() would log about the weights, with
// "would load", and throws its errors, except those that depend on values,
// which are not loaded. Builds the network without memory. Empty without a
// teacher.
std::vector<std::string> match_teacher(
    const config::Recipe& recipe,
    const models::ModelSpec& student);

} // namespace vitrain::engine
