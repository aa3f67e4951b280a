#pragma once

#include <cstdint>

#include "engine/run/session.h"

namespace vitrain::engine {

// Bytes that this worker has taken at its largest: of its GPU, by torch, or
// where there is none of the machine.
std::int64_t peak_memory(const Session& session);

} // namespace vitrain::engine
