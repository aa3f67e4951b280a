#pragma once

#include "core/json.h"
#include "engine/device/session.h"

namespace vitrain::engine {

// Returns the run's environment: versions, processor, memory, devices, command
// line, and the values of an allow-list of environment variables that change
// results and hold no secrets.
Json describe_environment(const Session& session);

} // namespace vitrain::engine
