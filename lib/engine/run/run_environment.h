#pragma once

#include "core/json.h"
#include "engine/device/session.h"

namespace vitrain::engine {

// Returns the run's environment: versions, processor, memory, and an allow-list
// of environment variables that change results. Contains no secrets.
Json describe_environment(const Session& session);

} // namespace vitrain::engine
