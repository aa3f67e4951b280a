#pragma once

#include <string>

#include "core/json.h"
#include "engine/device/session.h"

namespace vitrain::engine {

// JSON key of the facts in a checkpoint (Snapshot::state).
inline constexpr const char* kRepeatability = "repeatability";

// Returns the facts on which the bits of this run's weights depend, for its
// checkpoints: with run.determinism: bitwise the workers, their threads and
// the kernels; with elastic the shards and the kernels; with fast null.
Json repeatability(const Session& session);

// Throws Error(kUsage) with every fact of `own` that differs in `saved`, the
// facts of the checkpoint `path`. Ignores facts that `saved` does not have: a
// run may change its determinism when it resumes. Does nothing if `own` or
// `saved` is null.
void check_repeatability(
    const Json& own,
    const Json& saved,
    const std::string& path);

} // namespace vitrain::engine
