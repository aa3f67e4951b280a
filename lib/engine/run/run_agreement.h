#pragma once

#include <map>
#include <string>

#include "engine/run/session.h"

namespace vitrain::engine {

// What all workers of a run must have in common, as dist::check_agreement takes
// it: version, recipe, batch, model with its tensors, datasets, classes.
// Requires a session with plan, indexes and model.
std::map<std::string, std::string> facts_to_agree_on(const Session& session);

} // namespace vitrain::engine
