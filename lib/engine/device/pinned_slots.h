#pragma once

#include <string>

#include "data/load/loader.h"

namespace vitrain {
class CudaPlugin;
} // namespace vitrain

namespace vitrain::engine {

// Returns an allocator of memory for a loader's batches: pinned, so that the
// device reads it directly; ordinary memory if `plugin` is null. If pinned
// memory runs out, its error advises to lower `what`.
data::SlotAllocator slot_allocator(
    const CudaPlugin* plugin,
    const std::string& what);

} // namespace vitrain::engine
