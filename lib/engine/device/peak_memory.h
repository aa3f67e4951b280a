#pragma once

#include <cstdint>

#include "engine/device/session.h"

namespace vitrain::engine {

// Returns this worker's peak memory in bytes: torch's allocations on its GPU,
// or its resident memory if it has no GPU.
std::int64_t peak_memory(const Session& session);

} // namespace vitrain::engine
