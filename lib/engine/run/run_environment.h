#pragma once

#include "core/text/json.h"
#include "engine/run/session.h"

namespace vitrain::engine {

// What the run ran on: versions, processor, memory, and the few environment
// variables that change results. No secrets: an allow-list.
Json describe_environment(const Session& session);

} // namespace vitrain::engine
