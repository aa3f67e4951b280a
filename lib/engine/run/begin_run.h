#pragma once

#include "core/json.h"
#include "engine/device/session.h"

namespace vitrain::engine {

class Reporter;

// Passes the run's length and number of classes to the reporter; rank 0 prints
// the banner, and warns of items of optim.no_decay without effect. Returns the
// `start` record of metrics.jsonl, with `resumed_step` if an earlier process
// has used the run folder.
Json announce(Session& session, Reporter& reporter);

// Rank 0: prepares the run folder for this process: in training, removes
// partial checkpoints and moves those of later steps away
// (job::prepare_to_resume()); opens the record files with `start`, the result
// of announce(); removes failure.json; writes environment.json. A resumed run
// must be restored before, so that a failed resume leaves its folder unchanged.
void open_run(Session& session, Reporter& reporter, const Json& start);

} // namespace vitrain::engine
