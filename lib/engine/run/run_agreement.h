#pragma once

#include <map>
#include <string>

#include "engine/device/session.h"

namespace vitrain::engine {

// Returns the facts on which all workers of a run must agree, by name, for
// dist::check_agreement: version, number of workers, recipe (except devices and
// paths), step to resume from, batch, model with its tensors, datasets,
// classes. Requires a session with plan, indexes and model.
std::map<std::string, std::string> facts_to_agree_on(const Session& session);

} // namespace vitrain::engine
