#pragma once

#include "core/text/json.h"
#include "engine/run/session.h"

namespace vitrain::engine {

// Returns the run's environment: versions, processor, memory, and an allow-list
// of environment variables that change results. Contains no secrets.
Json describe_environment(const Session& session);

} // namespace vitrain::engine
