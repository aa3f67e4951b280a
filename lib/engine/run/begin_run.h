#pragma once

#include "core/text/json.h"
#include "engine/run/session.h"

namespace vitrain::engine {

// Prints the banner. Returns the start record.
Json announce(Session& session);

// Makes the first writes to the run folder. A resumed run must be restored
// before, so that a failed resume leaves its folder unchanged.
void open_run(Session& session, const Json& start);

} // namespace vitrain::engine
