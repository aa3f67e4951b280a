#pragma once

#include <cstdint>

#include "engine/run/session.h"

namespace vitrain::engine {

// Returns this worker's peak memory in bytes: of its GPU (torch's allocations),
// or of the machine if there is no GPU.
std::int64_t peak_memory(const Session& session);

} // namespace vitrain::engine
