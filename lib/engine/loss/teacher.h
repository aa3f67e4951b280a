#pragma once

#include <memory>
#include <string>
#include <vector>

#include "config/sections/recipe.h"
#include "engine/run/session.h"
#include "networks/model.h"

namespace vitrain::engine {

// The network of train.distill, with its weights, on the device, in evaluation
// mode; null where there is none. Throws Error(kUsage), Error(kWeights).
// Collective.
std::shared_ptr<networks::Model> make_teacher(Session& session);

// What make_teacher() would say and throw of the weights for such a student,
// from the file's header; nothing without a teacher. Makes no torch call.
std::vector<std::string> match_teacher(
    const config::Recipe& recipe,
    const models::ModelSpec& student);

} // namespace vitrain::engine
