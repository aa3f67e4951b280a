#pragma once

#include <memory>
#include <string>
#include <vector>

#include "config/sections/recipe.h"
#include "engine/device/session.h"
#include "networks/model.h"

namespace vitrain::engine {

// Returns the teacher of train.distill with its weights, on the device, in
// evaluation mode; null without distillation. Throws Error(kUsage),
// Error(kWeights). Collective.
std::shared_ptr<networks::Model> make_teacher(Session& session);

// Returns the lines that make_teacher() would print about the weights, and
// throws its errors. Reads only the file's header; makes no torch call. Empty
// without a teacher.
std::vector<std::string> match_teacher(
    const config::Recipe& recipe,
    const models::ModelSpec& student);

} // namespace vitrain::engine
