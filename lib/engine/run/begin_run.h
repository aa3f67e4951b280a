#pragma once

#include "core/text/json.h"
#include "engine/run/session.h"

namespace vitrain::engine {

// Says what is about to run. Returns its start record.
Json announce(Session& session);

// The first writes to the run folder. A run that goes on has been restored by
// then: what cannot be continued leaves its folder as it was.
void open_run(Session& session, const Json& start);

} // namespace vitrain::engine
