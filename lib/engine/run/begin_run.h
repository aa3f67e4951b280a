#pragma once

#include "core/json.h"
#include "engine/device/session.h"

namespace vitrain::engine {

class Reporter;

// Prints the banner. Returns the start record.
Json announce(Session& session, Reporter& reporter);

// Makes the first writes to the run folder. A resumed run must be restored
// before, so that a failed resume leaves its folder unchanged.
void open_run(Session& session, Reporter& reporter, const Json& start);

} // namespace vitrain::engine
